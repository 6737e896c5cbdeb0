import { afterAll, beforeAll, describe } from 'vitest';
import { Sandbox } from '../../support/run-babelq.ts';
import { WireServer } from '../../support/wire-server.ts';
import { factOf, sqsServersHere } from '../here.ts';

/** Two that nobody here wrote; they say from which queue SQS moved a message, and what an app writes depends on neither. */
const ON = ['elasticmq', 'localstack'];

/** A server, and a person's machine beside it. They are there once the tests run. */
interface Beside {
  readonly name: string;
  readonly server: WireServer;
  readonly sandbox: Sandbox;
}

/** Tests with real apps, on each of these servers. @param title with `$name` for the server's */
export function describeApps(title: string, tests: (beside: Beside) => void): void {
  const servers = sqsServersHere().filter(({ name }) => ON.includes(name));
  describe.skipIf(factOf('babelqueue', 'python') === null).concurrent.each(servers)(
    title,
    ({ name, endpoint, account }) => {
      let server: WireServer;
      let sandbox: Sandbox;
      beforeAll(async () => {
        server = await WireServer.at(name, endpoint, account);
        sandbox = new Sandbox(server.environment);
      });
      afterAll(() => {
        server.client.close();
        sandbox.remove();
      });
      tests({
        name,
        get server() {
          return server;
        },
        get sandbox() {
          return sandbox;
        },
      });
    },
  );
}
