#!/usr/bin/env node
// Events: what happens to the rig reaches a subscriber, with severity; requests as audit.
// RUN_ALONE NO_SANITIZER TIME_LIMIT=60
import { Client, Rig, bool, count, done, double, id, is, now, ok, opcua, sleep, text, until } from './opcua_rig.mjs';
const { AttributeIds, TimestampsToReturn, constructEventFilter } = opcua;

const rig = await new Rig('test-opcua-events').up();
const c = await Client.to(rig.url), other = await Client.to(rig.url);
const fields = ['EventType', 'Message', 'Severity', 'SourceName', 'Time'];
const got = { rig: [], server: [] };
const sub = await c.session.createSubscription2({ requestedPublishingInterval: 10, requestedLifetimeCount: 1000, requestedMaxKeepAliveCount: 20, publishingEnabled: true });
for (const [where, node] of [['rig', id('rig')], ['server', 'ns=0;i=2253']]) {
    const item = await sub.monitor({ nodeId: node, attributeId: AttributeIds.EventNotifier },
        { samplingInterval: 0, queueSize: 500, discardOldest: true, filter: constructEventFilter(fields) }, TimestampsToReturn.Both);
    item.on('changed', e => got[where].push({ type: String(e[0].value), message: e[1].value.text, severity: e[2].value, source: e[3].value, at: now(), time: e[4].value }));
}
await sleep(200);
const said = (pattern, where = 'rig') => until(() => got[where].some(e => pattern.test(e.message)), 2000);
const find = pattern => got.rig.find(e => pattern.test(e.message));

let begin = now();
await other.call('pause');
ok(await said(/^state running -> holding$/) < 2000, 'a change of state is an event', got.rig);
const took = find(/^state/)?.at - begin;
ok(took < 500, 'soon', `${took} ms`);
console.log(`# ${took?.toFixed(0)} ms from the call to the event`);
ok(await said(/^state running -> holding$/, 'server') < 2000, 'also at the Server object');
is(find(/^state/)?.severity, 200, 'with its severity');
is(find(/^state/)?.source, 'Rig', 'and its source');
ok(Math.abs(Date.now() - find(/^state/)?.time?.getTime()) < 5000, 'and its time');
ok(await said(/^pause: done$/) < 2000, 'the request itself is an event');
is(find(/^pause/)?.type, id('type:rig-audit'), 'an audit event');
await other.call('single-step', count(0));
ok(await said(/^step: value out of range$/) < 2000, 'a refused one too');
await other.call('start');
await other.acquire('stream');
ok(await said(/^authority \d+ granted$/) < 2000, 'authority granted');
await other.write([['actuator:motor-3.command', double(1)]]);
ok(await said(/^command timeout: motor-3$/) < 2000, 'a command timeout names the actuator');
await other.call('insert-fault', text('overrun'), text(''), double(0.0025), count(0), count(1));
ok(await said(/^deadline missed: injected, \d+ us late, \d+ slots skipped$/) < 2000, 'a miss tells its cause', got.rig.map(e => e.message));
await other.call('estop');
ok(await said(/^state running -> safe$/) < 2000, 'an emergency stop');
ok(await said(/^emergency stop: done$/) < 2000, 'and who asked is audited');
await rig.stop();
done();
