#!/usr/bin/env node
// Events: what happens to the rig reaches a subscriber, with severity; requests as audit.
// RUN_ALONE NO_SANITIZER TIME_LIMIT=120
import { Client, Rig, big, bool, count, done, double, doubles, id, is, now, ok, opcua, sleep, text, texts, until } from './opcua_rig.mjs';
const { AttributeIds, TimestampsToReturn, constructEventFilter } = opcua;

const rig = await new Rig('test-opcua-events').up();
const c = await Client.to(rig.url), other = await Client.to(rig.url);
const fields = ['EventType', 'Message', 'Severity', 'SourceName', 'Time', '2:StepNumber', '2:Ticket', 'ClientUserId', 'Status'];
const got = { rig: [], server: [] };
const sub = await c.session.createSubscription2({ requestedPublishingInterval: 10, requestedLifetimeCount: 1000, requestedMaxKeepAliveCount: 20, publishingEnabled: true });
for (const [where, node] of [['rig', id('rig')], ['server', 'ns=0;i=2253']]) {
    const item = await sub.monitor({ nodeId: node, attributeId: AttributeIds.EventNotifier },
        { samplingInterval: 0, queueSize: 500, discardOldest: true, filter: constructEventFilter(fields) }, TimestampsToReturn.Both);
    item.on('changed', e => got[where].push({ type: String(e[0].value), message: e[1].value.text, severity: e[2].value, source: e[3].value, at: now(), time: e[4].value,
        step: big(e[5].value), ticket: big(e[6].value), user: e[7].value, status: e[8].value }));
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
is(find(/^pause/)?.user, 'anonymous', 'it says who asked');
is(find(/^pause/)?.status, true, 'and that it was done');
await other.call('single-step', count(0));
ok(await said(/^step: value out of range$/) < 2000, 'a refused one too');
await other.call('start');
await other.acquire('stream');
ok(await said(/^authority \d+ granted to anonymous \(stream\)$/) < 2000, 'authority granted');
await other.write([['actuator:motor-3.command', double(1)]]);
ok(await said(/^command timeout: motor-3$/) < 2000, 'a command timeout names the actuator');
await other.insert('overrun', '', 0.0025, { n: 1 });
ok(await said(/^deadline missed: injected, \d+ us late, \d+ slots skipped$/) < 2000, 'a miss tells its cause', got.rig.map(e => e.message));
await other.call('estop');
ok(await said(/^state running -> safe: emergency stop$/) < 2000, 'an emergency stop');
ok(await said(/^emergency stop: done$/) < 2000, 'and who asked is audited');
is(find(/^command timeout/)?.severity, 600, 'severities: a timeout 600');
is(find(/^deadline missed/)?.severity, 400, 'a miss 400');
is(find(/^step: value/)?.status, false, 'a refused request has Status false');

// ---- every method is audited, done or refused ----------------------------------------
got.rig.length = 0;
const number = v => ({ dataType: 'Int32', value: v });
for (const [call, words] of [
    [['reset'], /^reset: done$/], [['arm'], /^arm: done$/], [['disarm'], /^disarm: done$/], [['arm'], /^arm: done$/], [['start'], /^start: done$/],
    [['set-parameter', text('grip'), double(3)], /^set parameter: done$/], [['set-parameter', text('grip'), double(99)], /^set parameter: value out of range$/],
    [['set-parameter', text('nobody'), double(3)], /^SetParameter: there is no such name$/], [['set-overrun-policy', text('hold')], /^set overrun policy: done$/],
    [['reset-statistics'], /^reset statistics: done$/], [['insert-fault', text('bias'), text('place.x'), double(1), count(0), count(0), bool(false), count(0)], /^insert fault: done$/],
    [['clear-faults', number(-1)], /^clear faults: done$/], [['acquire-authority', text('manual'), bool(false)], /^acquire authority: done$/],
    [['write-commands', texts(['nobody']), doubles([1])], /^WriteCommands: there is no such name$/],
    [['release-authority'], /^release authority: done$/], [['pause'], /^pause: done$/], [['snapshot', text('')], /^snapshot: done$/], [['restore', text('')], /^restore: done$/],
    [['single-step', count(3)], /^step: started$/]]) {
    const from = got.rig.length;
    await other.call(...call);
    ok(await until(() => got.rig.slice(from).some(e => words.test(e.message) && e.type === id('type:rig-audit') && e.user === 'anonymous'), 2000) < 2000,
        `audited: ${words.source}`, got.rig.slice(from));
}
ok(await said(/^steps done: 3$/) < 2000, 'Step(3) ends with an event');
ok(await said(/^inserted fault bias on place\.x begins, slot 0, by anonymous$/) < 2000 && await said(/^inserted fault bias on place\.x ends, slot 0, by anonymous$/) < 2000,
    'a fault begins and ends, with target, slot and who', got.rig.map(e => e.message));
ok(find(/^steps done/)?.step > 0, 'events carry the step');

// ---- an answer that is late: a ticket, then an event ---------------------------------
await other.call('start');
await sleep(100);
const step = rig.pid('step');
process.kill(step, 'SIGSTOP');
begin = now();
const late = await other.call('pause');
const waited = now() - begin;
process.kill(step, 'SIGCONT');
is(`${late.status}: ${late.answer}`, 'GoodCompletesAsynchronously: not answered yet', 'without an answer within 5 periods a ticket comes back');
ok(waited < 80, 'soon', `${waited} ms`);
ok(late.ticket > 0, 'with a number');
ok(await said(/^ticket \d+: pause: done$/) < 2000, 'and the answer as an event', got.rig.slice(-5));
is(find(/^ticket/)?.ticket, late.ticket, 'with the same number');
// authority granted late still belongs to the session
process.kill(step, 'SIGSTOP');
const lateGrant = await other.acquire('manual');
process.kill(step, 'SIGCONT');
is(lateGrant.status, 'GoodCompletesAsynchronously', 'authority asked of a slow step');
ok(await said(/^ticket \d+: acquire authority: done$/) < 2000, 'is granted later');
is(await other.write([['actuator:motor-3.command', double(1)]]), 'Good', 'and is the session\'s own');
await rig.stop();

// ---- trips and solver faults ---------------------------------------------------------
const weak = `model: weak
bodies:
  sled: {mass: 1e-3, inertia: [1, 1, 1], position: [0, 0, 0]}
joints:
  slide: {type: prismatic, between: [ground, sled], at: [0, 0, 0], axis: [1, 0, 0]}
actuators:
  motor: {type: force, joint: slide, unit: N, range: [-1e308, 1e308], safe: 0}
sensors:
  at: {type: joint-position, joint: slide}
`;
const second = await new Rig('test-opcua-trips', { model: weak, keys: 'on-miss: stop' }).up();
const d = await Client.to(second.url), e = await Client.to(second.url);
got.rig.length = 0;
const watch = await d.session.createSubscription2({ requestedPublishingInterval: 10, requestedLifetimeCount: 1000, requestedMaxKeepAliveCount: 20, publishingEnabled: true });
(await watch.monitor({ nodeId: id('rig'), attributeId: AttributeIds.EventNotifier },
    { samplingInterval: 0, queueSize: 500, discardOldest: true, filter: constructEventFilter(fields) }, TimestampsToReturn.Both))
    .on('changed', v => got.rig.push({ message: v[1].value.text, severity: v[2].value }));
await sleep(200);
// without real-time rights a real miss may have come first, before anyone listened
if ((await e.read(['rig.state-name']))[0].value.value !== 'running')
    for (const m of ['reset', 'arm', 'start']) await e.call(m);
await e.insert('overrun', '', 0.0025, { n: 1 });
ok(await said(/^tripped: a deadline miss with policy stop$/) < 2000, 'a trip tells why', got.rig);
is(find(/^tripped/)?.severity, 800, 'with severity 800');
for (const m of ['clear-faults']) await e.call(m, number(-1));
for (const m of ['reset', 'arm', 'start']) await e.call(m);
await e.acquire('stream');
await e.write([['actuator:motor.command', double(1e308)]]);
ok(await said(/^solver fault: .* at (actuator motor|joint slide|body sled)$/) < 2000, 'a solver fault names the element', got.rig);
is(find(/^solver fault/)?.severity, 900, 'with severity 900');
ok(await said(/^state \w+ -> faulted$/) < 2000, 'and the rig is faulted');
const after = await e.read(['sensor:at.value', 'rig.state-name']);
ok(Number.isFinite(after[0].value.value) && after[0].statusCode.name.startsWith('Uncertain'), 'its values stay finite and are marked', `${after[0].value.value} ${after[0].statusCode.name}`);
await second.stop();
done();
