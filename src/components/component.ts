import type { Definition } from '#src/bridge/definition.ts';
import type { ProducerDeclaration } from '#src/bridge/producer.ts';
import type { ComponentCodes } from '#src/http/error-code.ts';
import type { Mount } from '#src/http/mount.ts';
import type { Route } from '#src/http/route.ts';
import type { Decider, DomainEvent } from '#src/kernel/decider.ts';
import type { Descriptions } from '#src/kernel/descriptions.ts';
import type { RefusalCatalog } from '#src/kernel/explanation.ts';
import type { Process } from '#src/journal/process.ts';
import type { IndexedEvents } from '#src/kernel/index-table.ts';
import type { SettingReader } from '#src/kernel/setting-reader.ts';
import type { Clock } from '#src/ports/clock.ts';
import type { DeliveryCalls } from '#src/ports/delivery-calls.ts';
import type { Directories } from '#src/ports/directory.ts';
import type { EventFeed } from '#src/ports/event-feed.ts';
import type { Ids } from '#src/ports/ids.ts';
import type { Projection } from '#src/ports/projection.ts';
import type { RandomBytes } from '#src/ports/random-bytes.ts';
import type { ReadStore, Renderers } from '#src/ports/read-store.ts';
import type { RecordKeys } from '#src/ports/record-keys.ts';
import type { SecretStore } from '#src/ports/secret-store.ts';
import type { TokenIndex } from '#src/ports/token-index.ts';
import type { IssuedTokens } from '#src/runtime/access/issued-tokens.ts';
import type { Progress } from '#src/runtime/progress.ts';
import type { RulesByOpening } from '#src/verify/rules.ts';

/**
 * The parts that a component adds to the platform. Each part is a module, loaded only by the threads and commands that
 * use it: the projector loads no API routes, and the reader thread loads no rules. A component leaves out the parts it
 * does not have.
 */
export type Component = Readonly<{
  /** The name of the component's folder in every root folder. */
  name: string;
  /**
   * The codes under which its operations report refusals of other components, by name: a customer registry reports
   * CRM-0007 where the ledger reports LDG-0053. `legacyCode` stays that of the declared code unless it is given, and
   * refusals that are not listed keep their code.
   */
  codes?: ComponentCodes;
  /** The refusals it adds to those of the platform. */
  refusals?: () => Promise<{ refusals: RefusalCatalog }>;
  /** Prefixes, headers and ports under which its operations are served. */
  mounts: readonly Mount[];
  /** The API operations it declares. */
  routes: () => Promise<{ routes: readonly Route[] }>;
  /** Describes its tags, members and parameters for readers of the API. */
  descriptions?: () => Promise<{ descriptions: Descriptions }>;
  /** Examples of the bodies of its operations, by operation. */
  examples?: () => Promise<{ default: object }>;
  /** The settings it adds to those of the platform. */
  settings?: () => Promise<{ readSettings(reader: SettingReader): object }>;
  /** Creates the services that only its own handlers use, from its settings or from `{}`. */
  services?: () => Promise<{ createServices(settings: object, platform: PlatformFacts): unknown }>;
  /** The rules of its journals. */
  deciders?: () => Promise<{ deciders: readonly AnyDecider[] }>;
  /** Processes over several journals, which are resumed after a crash. */
  processes?: () => Promise<{ processes: readonly Process[] }>;
  /** The names that the journal index holds of its events. */
  indexed?: () => Promise<{ indexed: IndexedEvents }>;
  /** Its read models. */
  projections?: () => Promise<{ projections: readonly Projection[] }>;
  /** Renders the rows of its read models as JSON. */
  renderers?: () => Promise<{ renderers: Renderers }>;
  /** The events it publishes. */
  definitions?: () => Promise<{ definitions: readonly Definition[] }>;
  /** The auditor's rules for its journals. */
  audit?: () => Promise<{ audit: RulesByOpening }>;
}>;

/** Personal data is sealed with the keys and found by the tokens of the index. */
export type Protection = Readonly<{ keys: RecordKeys; index: TokenIndex }>;

/** Facts about all components together, for a component that describes the others, and the ports that services use. */
export type PlatformFacts = Readonly<{
  version: string;
  producers: readonly ProducerDeclaration[];
  clock: Clock;
  randomBytes: RandomBytes;
  /** Opens the secrets on first use. Errors: Unavailable. */
  secrets: () => Promise<SecretStore>;
  /** The read models, and how far they have come. */
  reads: Pick<ReadStore, 'get' | 'list'>;
  progress: Pick<Progress, 'reached' | 'level'>;
  /** Resolves once decisions that rest on facts from before the call are in the log. Errors: Unavailable. */
  factsSettled: () => Promise<void>;
  /** Opens the keys of personal data on first use. Errors: Unavailable, Damaged. */
  protection: () => Promise<Protection>;
  /** Users and applications. */
  directories: Directories;
  ids: Ids;
  /** Tokens, for as long as their subjects are in the directory. */
  issued: IssuedTokens;
  deliveries: DeliveryCalls;
  events: EventFeed;
}>;

/** The types are known where a command is declared and where it is submitted, but not in between. */
export type AnyDecider = Decider<unknown, never, DomainEvent>;
