#!/usr/bin/env node
// A rig over OPC UA: browse, read, write, subscribe, call, authority, what happens when
// the client or the step goes away.
// RUN_ALONE NO_SANITIZER TIME_LIMIT=240
import { Client, Rig, big, bool, count, done, double, doubles, id, is, now, ok, opcua, sleep, text, texts, until } from './opcua_rig.mjs';
const { AttributeIds, ClientSubscription, ClientMonitoredItem, TimestampsToReturn, DataType } = opcua;

const rig = await new Rig('test-opcua').up();
const a = await Client.to(rig.url);
const b = await Client.to(rig.url);
// wait until the step has surely seen what was written: three ticks
const beat = async () => { const t = await b.value('rig.tick'); await until(async () => (await b.value('rig.tick')) >= t + 3); };

// ---- browse: types, ids, units -------------------------------------------------------
const children = async (c, node) => (await c.session.browse(node)).references;
const names = async node => (await children(a, id(node))).map(r => r.browseName.name);
const top = await children(a, 'ns=0;i=85');
ok(top.some(r => r.nodeId.toString() === id('rig')), 'the rig is below Objects');
const parts = await names('rig');
const types = (await children(a, 'ns=0;i=58')).map(r => r.browseName.name);
for (const type of ['RigType', 'ModelType', 'BodyType', 'JointType', 'ActuatorType', 'SensorType', 'DeadlineMonitorType', 'RecorderType'])
    ok(types.includes(type), `there is a ${type}`);
const declared = (await names('type:actuator'));
ok((await names('actuator:motor-1')).every(n => declared.includes(n)) && declared.includes('Command'), 'an actuator is what its type says', declared);
for (const part of ['Recorder', 'State', 'StepNumber', 'Time', 'Sensors', 'Actuators', 'Model', 'DeadlineMonitor', 'Arm', 'EStop', 'Restore'])
    ok(parts.includes(part), `the rig has ${part}`);
ok(new Set(parts).size === parts.length, 'no name stands twice');
is((await children(a, id('rig'))).find(r => r.browseName.name === 'Sensors').typeDefinition, id('type:sensors'), 'objects are of our types');
is((await a.read(['ns=0;i=2255']))[0].value.value[2], 'urn:trapeze:opcua:v1', 'the namespace has a version');
const unit = (await a.read([`actuator:motor-1.command.engineering-units`, 'actuator:motor-1.command.range']));
is(unit[0].value.value.displayName.text, 'N', 'a command has its unit');
is(unit[0].value.value.unitId, 0x4e4557, 'with its UNECE number');
is(`${unit[1].value.value.low} ${unit[1].value.value.high}`, '-10 10', 'and its range');
is((await children(a, id('actuator:motor-1'))).find(r => r.browseName.name === 'Command').typeDefinition, 'ns=0;i=17570', 'it is an AnalogUnitRangeType');

// ---- read: one response, one step ----------------------------------------------------
await until(async () => (await a.value('rig.state-name')) === 'running');
const all = (await a.value('sensors.names'));
is(all.length, 101, 'all channels have names');
const batch = ['rig.time', 'sensors.values', 'sensors.time', ...Array.from({ length: 90 }, (_, i) => `sensor:clock-${i}.value`), 'rig.step', 'sensors.step', 'actuators.step'];
let mixed = 0, steps = new Set();
for (let i = 0; i < 2000; i++) {
    const r = await a.read(batch);
    const t = r[0].value.value, array = r[1].value.value;
    const clocks = r.slice(3, 93).map(v => v.value.value);
    const whole = clocks.every(c => c === clocks[0]) && Math.abs(clocks[0] - t) < 1e-6 && array[11] === clocks[0] && array[100] === clocks[0] &&
        r[2].value.value === t && big(r[93].value.value) === big(r[94].value.value) && big(r[94].value.value) === big(r[95].value.value) &&
        r.every(v => v.sourceTimestamp.getTime() === r[0].sourceTimestamp.getTime());
    if (!whole) mixed++;
    steps.add(big(r[93].value.value));
}
is(mixed, 0, '2000 reads of 96 nodes never mix two steps');
ok(steps.size > 200, 'and they see many steps', steps.size);
// a miss on a busy machine makes a value uncertain for a moment
ok(await until(async () => (await a.status('rig.time')) === 'Good', 2000) < 2000, 'values are Good while it runs in time');
const part = await a.session.read({ nodeId: id('sensors.values'), attributeId: AttributeIds.Value, indexRange: new opcua.NumericRange('1:2') });
is(`${part.statusCode.name} ${part.value.value.length}`, 'Good 2', 'an index range of an array is read');
for (const [node, range] of [['sensors.values', '200:300'], ['rig.step', '0:1']])
    ok(/^BadIndexRange/.test((await a.session.read({ nodeId: id(node), attributeId: AttributeIds.Value, indexRange: new opcua.NumericRange(range) })).statusCode.name), `a range that ${node} does not have is refused`);
const age = Math.abs(Date.now() - (await a.read(['rig.time']))[0].sourceTimestamp.getTime());
ok(age < 100, 'the source time is that of the step', age);

// ---- authority and writes ------------------------------------------------------------
is(await a.write([['actuator:motor-1.command', double(1)]]), 'BadUserAccessDenied', 'without authority nothing is written');
const granted = await a.acquire('stream');
is(granted.status, 'Good', 'authority is granted');
ok(granted.number > 0, 'with a number');
is((await b.acquire('stream')).status, 'BadUserAccessDenied', 'to one session at a time');
is(await a.value('rig.authority-is-mine'), true, 'the holder sees that it holds it');
is(await b.value('rig.authority-is-mine'), false, 'the other that it does not');
is(await b.write([['actuator:motor-1.command', double(1)]]), 'BadUserAccessDenied', 'the other cannot write');
is(await a.write([['actuator:motor-1.command', double(2)]]), 'Good', 'the holder can');
ok(await until(async () => (await a.value('actuator:motor-1.applied')) === 2, 1000) < 290, 'the value is applied');
const motor = 'actuator:motor-1.command';
for (const [what, value, status] of [
    ['NaN', double(NaN), 'BadOutOfRange'], ['infinity', double(Infinity), 'BadOutOfRange'],
    ['above the range', double(10.001), 'BadOutOfRange'], ['below the range', double(-11), 'BadOutOfRange'],
    ['an Int32', { dataType: DataType.Int32, value: 1 }, 'BadTypeMismatch'],
    ['a Float', { dataType: DataType.Float, value: 1 }, 'BadTypeMismatch'],
    ['a String', text('1'), 'BadTypeMismatch'], ['an array', doubles([1]), 'BadTypeMismatch'],
    ['a Boolean', bool(true), 'BadTypeMismatch'],
]) {
    await a.write([[motor, double(3)]]);
    is(await a.write([[motor, value]]), status, `${what} is refused`);
    await beat();
    is(await a.value('actuator:motor-1.applied'), 3, `and ${what} is never applied`);
}
is(await a.write([[motor, double(4)]], { item: { indexRange: new opcua.NumericRange('0:1') } }), 'BadIndexRangeInvalid', 'an index range is refused');
is(await a.write([[motor, double(4)]], { value: { statusCode: opcua.StatusCodes.BadSensorFailure } }), 'BadWriteNotSupported', 'a Bad value is refused');
is(await a.write([[motor, double(4)]], { value: { sourceTimestamp: new Date() } }), 'Good', 'a source time is no obstacle');
for (const node of ['sensor:at-1.value', 'rig.step', 'actuator:motor-1.applied', 'monitor.misses', 'parameter:grip'])
    ok(['BadNotWritable', 'BadUserAccessDenied'].includes((await a.write([[node, double(1)]]))[0]), `${node} is not writable`);
is(await a.write([[motor, double(5)], ['actuator:motor-2.command', double(99)], ['actuator:motor-3.command', double(6)]]),
    'Good,BadOutOfRange,Good', 'each node of a write has its own result');
await beat();
is((await a.value('actuators.applied')).slice(0, 3), '5,0,6', 'and only the accepted ones are applied');
is(await a.write([['actuators.commands', doubles([1, 2, 3, 4, 5, 6, 7, 8])]]), 'Good', 'the array of all commands is written');
await beat();
is(await a.value('actuators.applied'), '1,2,3,4,5,6,7,8', 'and applied');
is(await a.write([['actuators.commands', doubles([0, 0, 0, 0, 0, 0, 0, 11])]]), 'BadOutOfRange', 'one wrong value refuses the array');
is(await a.write([['actuators.commands', doubles([0, 0])]]), 'BadTypeMismatch', 'so does a wrong length');
is((await a.call('write-commands', texts(['motor-1', 'nobody']), doubles([0, 0]))).status, 'BadNoMatch', 'WriteCommands is all or nothing');
is((await a.call('write-commands', texts(['motor-1', 'motor-2']), doubles([0, 11]))).status, 'BadOutOfRange', 'also for values');
await beat();
is((await a.value('actuators.applied')).slice(0, 2), '1,2', 'nothing of a refused one is applied');
is((await a.call('write-commands', texts(['motor-2', 'motor-1']), doubles([8, 9]))).status, 'Good', 'WriteCommands takes names in any order');
ok(await until(async () => String((await a.value('actuators.applied')).slice(0, 2)) === '9,8', 1000) < 290, 'and applies them');

// ---- how long commands take to act ---------------------------------------------------
const loop = async (what, who = 'motor-4') => a.value(`actuator:${who}.${what}`);
await a.call('reset-statistics');
ok(await until(async () => (await loop('loop-count')) === 0, 1000) < 1000, 'ResetStatistics empties the histograms');
const width = await loop('loop-bin-width');
is(width, 0.00005, 'bins are a twentieth of a period wide');
let sent = 0;
for (; sent < 40; sent++) {
    await a.write([['actuator:motor-4.command', double(sent / 10)]]);
    await until(async () => (await a.value('actuator:motor-4.applied')) === sent / 10, 500, 0);
}
is(await loop('loop-count'), sent, 'every command used is counted once');
const bins = Array.from(await loop('loop-histogram'));
is(bins.length, 200, 'the histogram has 200 bins');
is(bins.reduce((x, y) => x + y, 0) + await loop('loop-outside'), sent, 'and all of them in it');
const median = bins.findIndex((_, i) => bins.slice(0, i + 1).reduce((x, y) => x + y, 0) * 2 >= sent) * width;
ok(median < 0.003, 'most within three periods', `${median} s`);
ok(await loop('loop-last') > 0 && await loop('loop-max') >= await loop('loop-last'), 'last and longest are above zero');
is(await loop('client-count'), 0, 'without a time of the client nothing is compared with it');
await a.write([['actuator:motor-4.command', double(5)]], { value: { sourceTimestamp: new Date(Date.now() - 3000) } });
ok(await until(async () => (await loop('client-count')) === 1, 500) < 500, 'with one it is counted');
const late = await loop('client-last');
ok(late > 2.9 && late < 3.5, 'by the client\'s own clock, three seconds slow here', late);
is(await loop('client-outside'), 1, 'which is outside the histogram');
const help = await a.session.read({ nodeId: id('actuator:motor-4.client-histogram'), attributeId: AttributeIds.Description });
ok(/^clocks not compared/.test(help.value.value.text), 'marked: clocks not compared', help.value.value.text);
console.log(`# loop time: median ${(median * 1e3).toFixed(2)} ms, longest ${(await loop('loop-max') * 1e3).toFixed(2)} ms`);

// ---- a client that stops writing -----------------------------------------------------
await a.acquire('stream');
await a.write([[motor, double(7)]]);
await beat();
is(`${await b.status('actuator:motor-1.applied')} ${await b.status(motor)}`, 'Good Good', 'a value that follows is Good');
is(await b.status('actuator:motor-8.safe'), 'Good', 'so is what never changes');
const stopped = await until(async () => (await b.value('actuator:motor-1.follows')) === 'timeout', 1000);
ok(stopped > 200 && stopped < 900, 'commands that stop time out', `${stopped} ms`);
const safe = (await b.read(['actuator:motor-1.applied', 'actuator:motor-1.timeouts', 'actuator:motor-1.age']));
is(safe[0].value.value, 0, 'the actuator is at its safe value');
is(safe[0].statusCode.name, 'UncertainSubstituteValue', 'which is marked as not the commanded one');
is(await b.status(motor), 'UncertainLastUsableValue', 'and the command as no longer renewed');
is(await b.status('actuators.applied'), 'UncertainSubstituteValue', 'the array of all of them too');
ok(safe[1].value.value >= 1, 'the timeout is counted');
ok(safe[2].value.value >= 0.3, 'the age says how long');
is((await a.call('release-authority')).status, 'Good', 'authority is given back');
is(await b.value('rig.authority'), 0, 'and is nobody\'s');

// ---- subscribe at 1 ms ---------------------------------------------------------------
const sub = await a.session.createSubscription2({ requestedPublishingInterval: 1, requestedLifetimeCount: 10000,
    requestedMaxKeepAliveCount: 100, maxNotificationsPerPublish: 0, publishingEnabled: true, priority: 1 });
is(sub.publishingInterval, 1, 'publishing at 1 ms is granted');
const item = await sub.monitor({ nodeId: id('rig.step'), attributeId: AttributeIds.Value },
    { samplingInterval: 1, queueSize: 100, discardOldest: true }, TimestampsToReturn.Both);
await new Promise(r => setTimeout(r, 100));
is(item.result?.revisedSamplingInterval ?? item.monitoringParameters?.samplingInterval, 1, 'sampling at 1 ms is granted');
let seen = [];
item.on('changed', v => seen.push(big(v.value.value)));
await sleep(2000);
ok(seen.length > 400, 'steps arrive', `${seen.length} in 2 s`);
ok(seen.every((v, i) => i === 0 || v > seen[i - 1]), 'in order');
console.log(`# ${seen.length} of 2000 steps seen by a subscription of 1 ms`);
await sub.terminate();

// ---- states and methods --------------------------------------------------------------
is((await b.call('pause')).status, 'Good', 'pause');
is(await b.value('rig.state-name'), 'holding', 'holds');
is(await b.status('rig.time'), 'UncertainLastUsableValue', 'values of a standing rig are uncertain');
const before = await b.value('rig.step');
is((await b.call('single-step', count(25))).answer, 'started', 'Step(25) is started');
ok(await until(async () => (await b.value('rig.step')) === before + 25, 1000) < 1000, 'and takes 25 steps');
await beat();
is(await b.value('rig.step'), before + 25, 'no more');
is((await b.call('single-step', count(0))).status, 'BadOutOfRange', 'Step(0) is refused');
is((await b.snapshot()).status, 'Good', 'snapshot');
const stood = await b.value('rig.time');
await b.call('start');
await sleep(50);
await b.call('pause');
ok(await b.value('rig.time') > stood, 'time went on');
is((await b.restore()).status, 'Good', 'restore');
await beat();
is(await b.value('rig.time'), stood, 'time is back');
is((await b.call('reset')).status, 'Good', 'reset');
await beat();
is(await b.status('sensor:at-1.value'), 'UncertainInitialValue', 'start values are uncertain');
is((await b.call('arm')).status, 'Good', 'arm');
is((await b.call('start')).status, 'Good', 'start');
is(await b.value('rig.state-name'), 'running', 'runs');
is((await b.call('set-parameter', text('grip'), double(3))).status, 'Good', 'a live parameter is set');
await beat();
is(await b.value('parameter:grip'), 3, 'and shown');
is((await b.call('set-parameter', text('grip'), double(11))).status, 'BadOutOfRange', 'out of its range it is refused');
const fixed = await b.call('set-parameter', text('weight'), double(2));
is(`${fixed.status}: ${fixed.answer}`, 'BadNotSupported: restart needed: the parameter is not live', 'a fixed one needs a restart');
is((await b.call('set-parameter', text('nobody'), double(2))).status, 'BadNoMatch', 'an unknown one is unknown');
is((await b.call('set-overrun-policy', text('hold'))).status, 'Good', 'the policy is set');
is(await b.value('rig.policy'), 'hold', 'and shown');
is((await b.call('set-overrun-policy', text('luck'))).status, 'BadNoMatch', 'an unknown policy is unknown');
const fault = await b.insert('bias', 'place.x', 5, { visible: true });
is(fault.status, 'Good', 'a fault is inserted');
await beat();
const sick = (await b.read(['sensor:place.x', 'sensor:place.y', 'sensor:place.value']));
ok(sick[0].statusCode.name === 'BadSensorFailure' && sick[2].statusCode.name === 'BadSensorFailure' && !sick[1].statusCode.name.startsWith('Bad'), 'its channel says so, its neighbour does not', sick.map(v => v.statusCode.name));
const statuses = (await b.read(['sensors.statuses', 'sensors.names'])).map(v => Array.from(v.value.value));
is(statuses[0].map((v, i) => v.name === 'BadSensorFailure' ? statuses[1][i] : '').filter(n => n), 'place.x', 'the array of statuses names the same channel');
ok(Math.abs(sick[0].value.value - 5) < 0.5, 'and shows the faulty value', sick[0].value.value);
is((await b.call('clear-faults', { dataType: DataType.Int32, value: -1 })).status, 'Good', 'faults are cleared');
await beat();
ok(await until(async () => (await b.status('sensor:place.x')) === 'Good', 2000) < 2000, 'the channel is well again');
// every kind of fault, from a step on for some steps
const causes = await b.value('monitor.cause-names');
for (const [kind, target, value] of [['bias', 'place.y', 1], ['freeze', 'place.y', 0], ['noise', 'place.y', 1], ['dropout', 'place.y', 1], ['delay', 'place.y', 3], ['stuck', 'motor-2', 4], ['overrun', '', 0.002]]) {
    const from = (await b.value('rig.step')) + 150;
    const put = await b.insert(kind, target, value, { from, n: 100, visible: true });
    is(put.status, 'Good', `InsertFault ${kind}`);
    const injected = async () => (await b.value('monitor.causes'))[causes.indexOf('injected')][1];
    const misses = await injected();
    const early = kind === 'stuck' ? await b.value('actuator:motor-2.follows') : await b.status('sensor:place.y');
    const seen = await until(async () => kind === 'stuck' ? (await b.value('actuator:motor-2.follows')) === 'stuck'
        : kind === 'overrun' ? (await injected()) > misses : (await b.status('sensor:place.y')) === 'BadSensorFailure', 1000, 0);
    const at = await b.value('rig.step');
    ok(seen < 1000 && at >= from && early !== 'stuck' && early !== 'BadSensorFailure', `${kind} acts from its step on, not before`, `${seen} ms, step ${at}, from ${from}, before ${early}`);
    if (kind === 'stuck') is((await b.read(['actuator:motor-2.applied']))[0].value.value, 4, 'stuck where it was told');
    ok(await until(async () => (await b.value('rig.fault-slots')) === 0, 2000) < 2000, `${kind} ends by itself`, await b.value('rig.fault-slots'));
}
is((await b.insert('rust', 'place.y', 1)).status, 'BadNoMatch', 'an unknown fault is unknown');
const resets = await b.value('monitor.resets');
is((await b.call('reset-statistics')).status, 'Good', 'statistics are reset');
await beat();
ok(await until(async () => (await b.value('monitor.resets')) === resets + 1, 2000) < 2000, 'and counted');
const kept = await b.read(['recorder.kept', 'recorder.depth', 'recorder.newest']);
ok(big(kept[0].value.value) <= kept[1].value.value && kept[1].value.value >= 64 && big(kept[2].value.value) >= big(kept[0].value.value), 'the recorder says what is in memory', kept.map(v => big(v.value.value)));
ok((await b.value('monitor.wake-histogram')).length === 4096, 'the histogram of wake-ups is there');

// ---- manual authority lives while the session does -----------------------------------
is((await a.acquire('manual')).status, 'Good', 'manual authority');
is(await a.write([[motor, double(6)]]), 'Good', 'one write');
const until3 = now() + 3000;
while (now() < until3) { await a.value('rig.step'); await sleep(100); }
is(await b.value('actuator:motor-1.applied'), 6, 'acts for 3 s while the session reads');
is((await b.call('release-authority')).status, 'BadUserAccessDenied', 'another session cannot give it away');
const silent = await until(async () => (await b.value('rig.authority')) === 0, 5000, 10);
ok(silent > 1500 && silent < 2700, 'a silent session loses it after 2 s', `${silent} ms`);
ok(await until(async () => (await b.value('actuator:motor-1.applied')) === 0, 100) < 100, 'and the actuator goes to its safe value');

// ---- emergency stop ------------------------------------------------------------------
await a.acquire('stream');
await a.write([[motor, double(5)]]);
const t0 = now();
const stop = await b.call('estop');
console.log(`# EStop answered after ${(now() - t0).toFixed(1)} ms`);
is(stop.status, 'Good', 'EStop needs no authority');
is((await b.read(['rig.state-name', 'actuator:motor-1.applied', 'rig.trip'])).map(v => v.value.value), 'safe,0,emergency stop', 'the rig is safe');
is(await a.write([[motor, double(1)]]), 'BadUserAccessDenied', 'the authority is gone');
is((await b.call('start')).status, 'BadInvalidState', 'no start from the safe state');
is((await b.call('reset')).status, 'Good', 'reset leads out');
await b.call('arm'); await b.call('start');

// ---- what is forbidden to all --------------------------------------------------------
const refused = await a.session.performMessageTransaction(new opcua.AddNodesRequest({ nodesToAdd: [{
    parentNodeId: opcua.makeExpandedNodeId(85), referenceTypeId: opcua.resolveNodeId('Organizes'), browseName: 'intruder',
    nodeClass: opcua.NodeClass.Object, typeDefinition: opcua.makeExpandedNodeId(58) }] })).catch(e => e);
is(refused?.results?.[0]?.statusCode?.name ?? refused, 'BadUserAccessDenied', 'nodes cannot be added');
const gone = await a.session.performMessageTransaction(new opcua.DeleteNodesRequest({ nodesToDelete: [{ nodeId: id('rig.step'), deleteTargetReferences: true }] })).catch(e => e);
is(gone?.results?.[0]?.name ?? gone, 'BadUserAccessDenied', 'nor deleted');

// ---- a client that dies, and the step that dies --------------------------------------
await a.acquire('stream');
await a.write([[motor, double(5)]]);
ok(await until(async () => (await b.value('actuator:motor-1.applied')) === 5, 290) < 290, 'before the line is cut it acts');
a.cut();
const cut = await until(async () => (await b.value('actuator:motor-1.applied')) === 0, 1000);
ok(cut < 900, 'a cut line: safe within the timeout', `${cut} ms`);
const monitor = await b.session.createSubscription2({ requestedPublishingInterval: 10, requestedLifetimeCount: 1000,
    requestedMaxKeepAliveCount: 10, publishingEnabled: true });
const watched = await monitor.monitor({ nodeId: id('sensor:at-1.value'), attributeId: AttributeIds.Value },
    { samplingInterval: 10, queueSize: 10, discardOldest: true }, TimestampsToReturn.Both);
let turned = 0;
watched.on('changed', v => { if (v.statusCode.name === 'BadNoCommunication' && !turned) turned = now(); });
await sleep(200);
const pid = rig.pid('step');
ok(pid > 0, 'the step process is found');
process.kill(pid, 'SIGKILL');
const killed = now();
const noticed = await until(async () => (await b.status('sensor:at-2.value')) === 'BadNoCommunication', 2000);
ok(noticed < 100, 'step killed: values are Bad within 100 ms in the service', `${noticed} ms`);
await until(() => turned, 1000);
ok(turned && turned - killed < 500, 'and within 500 ms at a subscriber', `${turned - killed} ms`);
console.log(`# Bad after ${noticed.toFixed(1)} ms when read, ${(turned - killed).toFixed(1)} ms when subscribed`);
is(await b.status('monitor.misses'), 'BadNoCommunication', 'the monitor too');
is(await b.status('rig.name'), 'Good', 'what does not come from the step stays Good');
is((await b.call('start')).status, 'BadNoCommunication', 'methods say so');
await rig.stop();
done();
