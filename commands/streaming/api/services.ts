import type { SigningSecretKeeper } from '#commands/streaming/processes/signing-secrets.ts';
import type { Services } from '#src/http/services.ts';
import type { DeliveryCalls } from '#src/ports/delivery-calls.ts';
import type { SubscriptionTarget } from '#src/kernel/subscription.ts';

/** The services of the handlers that write subscriptions and replays. */
export type SubscriptionServices = Readonly<{
  signingSecrets: SigningSecretKeeper;
  /** Returns why the service may not address a target; undefined if it may. */
  addressFault: (target: SubscriptionTarget) => string | undefined;
  /** False if the operator has not switched streaming on. */
  delivers: boolean;
  /** The place of topics; embedded ones are computed from the log. */
  publishesTo: 'nowhere' | 'embedded topics' | 'broker';
  /** Returns whether this deployment's events have such a key. */
  isEventKey: (key: string) => boolean;
  deliveries: DeliveryCalls;
}>;

/** The start of the server sets them under this name. */
export const subscriptionServices = ({
  components,
}: Pick<Services, 'components'>): SubscriptionServices =>
  components['streaming'] as SubscriptionServices;
