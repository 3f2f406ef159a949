import { type Network, startNetwork } from '../network.ts';
import { type Receiver, startReceiver } from '../receiver.ts';
import { startTarget, type Target } from '../target.ts';
import { openShop, type Shop } from './shop.ts';

/** The whole product with an alert receiver and a target that can be broken. */
export interface Fixture extends AsyncDisposable {
  readonly network: Network;
  readonly target: Target;
  readonly receiver: Receiver;
  /** Creates a monitor that checks the target, a status page that shows it, and channels that alert the receiver. */
  openShop(): Promise<Shop>;
}

export async function startFixture(env: NodeJS.ProcessEnv = {}): Promise<Fixture> {
  await using stack = new AsyncDisposableStack();
  const receiver = stack.use(await startReceiver());
  const target = stack.use(await startTarget());
  const network = stack.use(await startNetwork(env));
  const running = stack.move();
  return {
    network,
    target,
    receiver,
    openShop: () => openShop(network, target, receiver),
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}
