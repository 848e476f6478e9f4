import { expect } from 'chai';
import { Registry } from 'prom-client';
import { registerMeters } from '#src/bootstrap/meters.ts';

describe('meters', () => {
  const measured = async (dataDir: string | undefined, stopped = new Map<string, string>()) => {
    const registry = new Registry();
    registerMeters(registry, {
      ...{ progress: { lagMs: () => 0 }, behind: () => undefined, stopped, dataDir },
      ...{
        relay: () => undefined,
        peers: () => undefined,
        replays: () => 0,
        delivery: () => undefined,
      },
      ...{ topics: () => undefined, refusedDropped: () => 0 },
    });
    return registry.metrics();
  };

  it('show the disk of a data folder, and none where the log is on a server', async () => {
    const here = await measured(import.meta.dirname);
    expect(here).to.match(/^quipu_disk_available_bytes [1-9]/m);
    expect(here).to.match(/^quipu_disk_size_bytes [1-9]/m);
    expect(here).to.match(/^quipu_disk_full 0$/m);
    expect(await measured('/nowhere')).to.match(/^quipu_disk_available_bytes Nan$/m);
    expect(await measured(undefined)).not.to.include('quipu_disk');
  });

  it('name each consumer of the log that has stopped', async () => {
    const stopped = new Map([['account', 'account stopped at event 7']]);
    expect(await measured(undefined, stopped)).to.include(
      'quipu_projection_stopped{projection="account"} 1',
    );
    expect(await measured(undefined)).not.to.match(/^quipu_projection_stopped\{/m);
  });
});
