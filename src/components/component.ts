import type { Definition } from '#src/bridge/definition.ts';
import type { Mount } from '#src/http/mount.ts';
import type { Route } from '#src/http/route.ts';
import type { Decider, DomainEvent } from '#src/kernel/decider.ts';
import type { RefusalName } from '#src/kernel/errors.ts';
import type { RefusalCatalog } from '#src/kernel/explanation.ts';
import type { Process } from '#src/journal/process.ts';
import type { IndexedEvents } from '#src/kernel/index-table.ts';
import type { SettingReader } from '#src/kernel/setting-reader.ts';
import type { Projection } from '#src/ports/projection.ts';
import type { Renderers } from '#src/ports/read-store.ts';
import type { RulesByOpening } from '#src/verify/rules.ts';

/**
 * The parts that a component adds to the platform. Each part is a module, loaded only by the threads and commands that
 * use it: the projector loads no API routes, and the reader thread loads no rules.
 */
export type Component = Readonly<{
  /** The name of the component's folder in every root folder. */
  name: string;
  /**
   * The codes under which its operations report refusals of other components, by name: a customer registry reports
   * CRM-0007 where the ledger reports LDG-0053. `legacyCode` stays that of the declared code; refusals that are not
   * listed keep their code.
   */
  codes?: Readonly<Record<RefusalName, string>>;
  /** The refusals it adds to those of the platform. */
  refusals: () => Promise<{ refusals: RefusalCatalog }>;
  /** Prefixes, headers and ports under which its operations are served. */
  mounts: readonly Mount[];
  /** The API operations it declares. */
  routes: () => Promise<{ routes: readonly Route[] }>;
  /** The settings it adds to those of the platform. */
  settings?: () => Promise<{ readSettings(reader: SettingReader): object }>;
  /** Creates the services that only its own handlers use, from its settings or from `{}`. */
  services?: () => Promise<{ createServices(settings: object): unknown }>;
  /** The rules of its journals. */
  deciders: () => Promise<{ deciders: readonly AnyDecider[] }>;
  /** Processes over several journals, which are resumed after a crash. */
  processes: () => Promise<{ processes: readonly Process[] }>;
  /** The names that the journal index holds of its events. */
  indexed: () => Promise<{ indexed: IndexedEvents }>;
  /** Its read models. */
  projections: () => Promise<{ projections: readonly Projection[] }>;
  /** Renders the rows of its read models as JSON. */
  renderers: () => Promise<{ renderers: Renderers }>;
  /** The events it publishes. */
  definitions?: () => Promise<{ definitions: readonly Definition[] }>;
  /** The auditor's rules for its journals. */
  audit: () => Promise<{ audit: RulesByOpening }>;
}>;

/** The types are known where a command is declared and where it is submitted, but not in between. */
export type AnyDecider = Decider<unknown, never, DomainEvent>;
