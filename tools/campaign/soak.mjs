// The clients of soak.sh: one reads 50 nodes at 50 Hz, one writes at 100 Hz, one has 100 items
// at 10 ms, one browses, and one subscribes and is cut off again and again. Twice a minute the
// memory, descriptors and misses of the rig's processes. Ends 1 where memory or descriptors
// still grow after the first third, or anybody stopped answering.
import { readdirSync, readFileSync } from 'node:fs';
import { Client, Rig, done, double, id, is, ok, opcua, sleep } from '../../tests/service/opcua_rig.mjs';
const { AttributeIds, TimestampsToReturn } = opcua;

const seconds = Number(process.env.SOAK_SECONDS || 900), begin = Date.now();
const passed = () => (Date.now() - begin) / 1000;
const rig = await new Rig('soak', { timeout: '500 ms' }).up();
const counts = { reads: 0, writes: 0, samples: 0, browses: 0, cuts: 0 };
const failures = [];

// forever until the time is up; a mistake is kept, and ends that client
const client = (name, ms, prepare, act) => (async () => {
    try {
        const c = await Client.to(rig.url), state = await prepare(c);
        for (let next = Date.now(); passed() < seconds; next = Math.max(next + ms, Date.now())) {
            await act(c, state);
            await sleep(Math.max(0, next + ms - Date.now()));
        }
        await c.close();
    } catch (e) { failures.push(`${name}: ${e.message}`); }
})();
const clocks = n => Array.from({ length: n }, (_, i) => `sensor:clock-${i % 90}.value`);
const subscribe = async (c, n) => {
    const s = await c.session.createSubscription2({ requestedPublishingInterval: 10, requestedMaxKeepAliveCount: 100, requestedLifetimeCount: 300, maxNotificationsPerPublish: 0, publishingEnabled: true, priority: 1 });
    const g = await s.monitorItems(clocks(n).map(k => ({ nodeId: id(k), attributeId: AttributeIds.Value })),
        { samplingInterval: 10, queueSize: 2, discardOldest: true }, TimestampsToReturn.Both);
    g.on('changed', () => { counts.samples++; });
};
const work = [
    client('reader', 20, async () => null, async c => { await c.read(clocks(50)); counts.reads++; }),
    client('writer', 10, async c => { await c.acquire(); }, async c => { await c.write([['actuator:motor-1.command', double(Math.sin(passed()))]]); counts.writes++; }),
    client('subscriber', 1000, c => subscribe(c, 100), async () => { }),
    client('browser', 500, async () => null, async c => { await c.session.browse(id('rig')); counts.browses++; }),
    client('killed', 6000, async () => null, async () => {
        const k = await Client.to(rig.url, { connectionStrategy: { maxRetry: 0 } });
        await subscribe(k, 20);
        await sleep(3000);
        k.cut();
        counts.cuts++;
    }),
];

const kib = pid => Number(readFileSync(`/proc/${pid}/status`, 'utf8').match(/VmRSS:\s+(\d+)/)[1]);
const look = () => ['trapeze', 'step', 'trapeze-opcua'].map(n => n === 'trapeze' ? rig.child.pid : rig.pid(n))
    .map(pid => [kib(pid), pid === rig.child.pid || process.getuid() === 0 ? readdirSync(`/proc/${pid}/fd`).length : 0]);
const seen = [];
while (passed() < seconds) {
    await sleep(Math.min(30000, Math.max(1000, seconds * 50)));
    if (rig.gone) break;
    seen.push(look());
    console.log(`# ${passed().toFixed(0)} s  KiB and descriptors of supervisor, step, server: ${seen.at(-1).map(p => p.join('/')).join('  ')}  ${JSON.stringify(counts)}`);
}
await Promise.all(work);
ok(!rig.gone, 'the rig runs to the end');
is(failures.join('; '), '', 'nobody stopped answering');
const third = seen[Math.floor(seen.length / 3)], last = seen.at(-1);
['supervisor', 'step', 'server'].forEach((name, i) => {
    ok(last[i][0] - third[i][0] < 2048, `the memory of the ${name} grows by less than 2 MiB after the first third`, `${third[i][0]} to ${last[i][0]} KiB`);
    ok(last[i][1] - third[i][1] <= 2, `the ${name} keeps no descriptors`, `${third[i][1]} to ${last[i][1]}`);
});
is(await rig.stop(), 0, 'and ends in order');
console.log(`# ${rig.said().trim().split('\n').at(-1)}`);
done();
