import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { answers, freePort, install, keep, type Part, programOf, run, scratch } from './part.ts';

const POM = join(import.meta.dirname, 'elasticmq.pom.xml');
const ARTIFACT = 'elasticmq-server_3';

/** The version that the POM asks for. */
function versionAsked(): string {
  const version = new RegExp(`<artifactId>${ARTIFACT}</artifactId>\\s*<version>(.*?)</version>`).exec(
    readFileSync(POM, 'utf8'),
  );
  if (version?.[1] === undefined) throw new Error(`${POM} names no version of ${ARTIFACT}.`);
  return version[1];
}

export const elasticmq: Part = {
  name: 'elasticmq',
  origin: 'Maven, `org.elasticmq`',
  version: versionAsked(),
  async start() {
    const java = await programOf('java');
    const maven = await programOf('mvn');
    const folder = await install('elasticmq', readFileSync(POM, 'utf8'), {
      into: async (target) => {
        await run(maven, ['-B', '-q', '-f', POM, 'dependency:copy-dependencies', `-DoutputDirectory=${target}`]);
        if (readdirSync(target).every((file) => !file.startsWith(ARTIFACT)))
          throw new Error(`Maven brought no ${ARTIFACT}.`);
      },
      lookUp: () =>
        run(maven, [
          '-B',
          '-q',
          '-U',
          'dependency:get',
          '-Dartifact=org.slf4j:slf4j-parent:2.0.7:pom',
          '-Dtransitive=false',
        ]),
    });
    const port = await freePort();
    const { folder: own, remove } = scratch('elasticmq');
    const config = join(own, 'elasticmq.conf');
    writeFileSync(
      config,
      `include classpath("application.conf")
node-address { protocol = http, host = "127.0.0.1", port = ${port}, context-path = "" }
rest-sqs { enabled = true, bind-port = ${port}, bind-hostname = "127.0.0.1", sqs-limits = strict }
rest-stats { enabled = false }
aws { region = us-east-1, accountId = 000000000000 }
`,
    );
    const endpoint = `http://127.0.0.1:${port}`;
    const command = [
      java,
      '-XX:TieredStopAtLevel=1',
      `-Dconfig.file=${config}`,
      '-cp',
      join(folder, '*'),
      'org.elasticmq.server.Main',
    ];
    const kept = await keep(command, () => answers(endpoint), { cwd: own });
    const close = async () => {
      await kept.close();
      remove();
    };
    return { server: { endpoint, account: '000000000000' }, close };
  },
};
