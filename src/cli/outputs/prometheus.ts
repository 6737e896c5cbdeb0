import { escapeText } from '../../model/display/escape.ts';

export interface Metric {
  name: string;
  help: string;
  samples: readonly { labels: Readonly<Record<string, string>>; value: number }[];
}

/**
 * Gauges in Prometheus's text format (version 0.0.4), as a node exporter reads them from a file; a metric without samples
 * is left out. A label's value is escaped as for a terminal, and then as the format asks.
 */
export function exposition(metrics: readonly Metric[]): string {
  return metrics
    .filter(({ samples }) => samples.length > 0)
    .flatMap(({ name, help, samples }) => [
      `# HELP ${name} ${help}`,
      `# TYPE ${name} gauge`,
      ...samples.map(({ labels, value }) => `${name}${labelText(labels)} ${value}`),
    ])
    .map((line) => `${line}\n`)
    .join('');
}

function labelText(labels: Readonly<Record<string, string>>): string {
  const pairs = Object.entries(labels).map(([name, value]) => {
    const escaped = escapeText(value).replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n');
    return `${name}="${escaped}"`;
  });
  return pairs.length === 0 ? '' : `{${pairs.join(',')}}`;
}
