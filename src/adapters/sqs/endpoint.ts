import { BabelqError } from '../../model/errors.ts';
import { checkedEndpoint, endpointFromEnvironment, ignoresEndpoints } from './address.ts';

type Section = Readonly<Record<string, string | undefined>>;

/**
 * The server that AWS's own tools would call for a profile, as their guide has it
 * (https://docs.aws.amazon.com/sdkref/latest/guide/feature-ss-endpoints.html): none where configured endpoints are to be
 * ignored; else AWS_ENDPOINT_URL_SQS, AWS_ENDPOINT_URL, the profile's `services` section, its `endpoint_url`. The SDK
 * itself looks for the last two in AWS_PROFILE's profile or the default one, whichever its client was given.
 * @returns null for AWS's own
 * @throws BabelqError `config` where what is configured is no URL, or the section isn't there
 */
export async function configuredEndpoint(
  profile: string | undefined,
  environment: NodeJS.ProcessEnv = process.env,
): Promise<string | null> {
  if (ignoresEndpoints(environment)) return null;
  const name = profile ?? (environment.AWS_PROFILE || 'default');
  const files = await sharedFiles();
  const settings: Section = { ...files.credentialsFile[name], ...files.configFile[name] };
  if (!environment.AWS_IGNORE_CONFIGURED_ENDPOINT_URLS && settings[IGNORE]?.toLowerCase() === 'true') return null;
  return endpointFromEnvironment(environment) ?? endpointOfProfile(name, settings, files.configFile);
}

const IGNORE = 'ignore_configured_endpoint_urls';

/** `~/.aws/config` and `~/.aws/credentials`, or the files that AWS_CONFIG_FILE and AWS_SHARED_CREDENTIALS_FILE name. */
async function sharedFiles(): Promise<Record<'configFile' | 'credentialsFile', Readonly<Record<string, Section>>>> {
  const config = await import('@smithy/core/config');
  return config.loadSharedConfigFiles();
}

function endpointOfProfile(
  profile: string,
  settings: Section,
  sections: Readonly<Record<string, Section>>,
): string | null {
  const { services } = settings;
  // The SDK's reader joins what a section's name and its members are made of with dots.
  const section = services === undefined ? undefined : sections[`services.${services}`];
  if (services !== undefined && section === undefined) {
    throw new BabelqError(
      'config',
      `The AWS profile ${profile} names the services section ${services}, which isn't there.`,
      {
        hint: `Write [services ${services}] into ~/.aws/config, or take services out of the profile.`,
      },
    );
  }
  const endpoint = section?.['sqs.endpoint_url'] ?? settings.endpoint_url;
  return endpoint ? checkedEndpoint(endpoint, `endpoint_url of the AWS profile ${profile}`) : null;
}
