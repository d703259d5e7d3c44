#!/usr/bin/env node
// A test sequencer beside the controller under test: the one holds a role, the other the
// authority. Silent and visible faults, snapshots, lockstep, pace free. RUN_ALONE TIME_LIMIT=120
import { Client, Rig, bool, count, done, double, is, now, ok, sleep, text, until } from './opcua_rig.mjs';

const beat = () => sleep(20);

// ---- beside a controller that commands -------------------------------------------------
const rig = await new Rig('bench', { keys: 'authority: {lease: 2 s, preempt: [opcua]}' }).up();
const controller = await Client.to(rig.url), bench = await Client.to(rig.url);
is((await controller.acquire('stream')).status, 'Good', 'the controller commands');
let controls = true, written = 0, refused = 0;
const controlling = (async () => {
    while (controls) {
        const [status] = await controller.write([['actuator:motor-1.command', double(++written % 7)]]);
        if (status !== 'Good') refused++;
        await sleep(5);
    }
})();
for (const [call, name] of [
    [() => bench.insert('bias', 'at-1', 1, { n: 50 }), 'inserts faults'], [() => bench.call('clear-faults', { dataType: 'Int32', value: -1 }), 'clears them'],
    [() => bench.call('set-parameter', text('grip'), double(4)), 'sets parameters'], [() => bench.call('set-overrun-policy', text('hold')), 'sets the overrun policy'],
    [() => bench.snapshot('here'), 'takes a snapshot'], [() => bench.call('reset-statistics'), 'resets statistics'], [() => bench.call('pause'), 'pauses'],
    [() => bench.call('single-step', count(5)), 'steps'], [() => sleep(50).then(() => bench.call('start')), 'starts again'],
    [() => bench.restore('here'), 'restores while it runs']])
    is((await call()).status, 'Good', `the sequencer ${name} meanwhile`);
is(await bench.value('rig.state-name'), 'running', 'the rig runs');
is((await bench.write([['actuator:motor-1.command', double(1)]]))[0], 'BadUserAccessDenied', 'but does not command');
is((await bench.call('release-authority')).status, 'BadUserAccessDenied', 'nor give the authority away');
is(await controller.value('rig.authority-is-mine'), true, 'which the controller still has');

// ---- faults are for the controller to find -----------------------------------------------
const read = async () => (await bench.read(['sensor:at-1.value']))[0];
await controller.call('set-parameter', text('grip'), double(4));
for (const [kind, value] of [['bias', 1e5], ['gain', 0], ['drift', 1e6], ['noise', 1e6], ['freeze', 0], ['stuck', 12345], ['dropout', 0.5], ['delay', 9], ['quantisation', 1e5], ['spike', 1e6], ['disconnect', 0]]) {
    is((await bench.insert(kind, 'at-1', value, { seed: 3 })).status, 'Good', `${kind} is inserted`);
    await beat();
    const silent = await read();
    ok(!silent.statusCode.name.startsWith('Bad'), `${kind} is silent`, silent.statusCode.name);
    if (kind === 'stuck') is(silent.value.value, value, 'only the value tells');
    await bench.call('clear-faults', { dataType: 'Int32', value: -1 });
}
is((await bench.insert('bias', 'at-1', 5, { visible: true })).status, 'Good', 'a visible fault');
await beat();
is((await read()).statusCode.name, 'BadSensorFailure', 'shows in the status');
await bench.call('clear-faults', { dataType: 'Int32', value: -1 });
const stuck = await bench.insert('stuck', 'motor-1', -3);
is(stuck.status, 'Good', 'an actuator sticks');
await beat();
const applied = (await bench.read(['actuator:motor-1.applied']))[0];
is(`${applied.value.value} ${applied.statusCode.name}`, '-3 Good', 'silently');
await bench.call('clear-faults', { dataType: 'Int32', value: -1 });
const step = await bench.value('rig.step');
const late = await bench.insert('bias', 'at-1', 5, { from: step });
is(`${late.status}: ${late.answer}`, 'BadOutOfRange: that step is made already', 'a begin in the past is refused');
is(await bench.value('rig.fault-slots'), 0, 'and nothing inserted');
is((await bench.insert('bias', 'at-1', 5, { from: step + 2000 })).status, 'Good', 'one to come is taken');
controls = false;
await controlling;
is(refused, 0, `none of ${written} commands was refused meanwhile`);
is((await controller.call('release-authority')).status, 'Good', 'the controller gives the authority back');
const nobody = await controller.call('release-authority');
is(`${nobody.status}: ${nobody.answer}`, 'BadInvalidState: nobody holds the authority', 'once: then nobody has it');
await rig.stop();

// ---- lockstep keeps the authority it grants ---------------------------------------------
const lock = await new Rig('bench-lock', { keys: 'pace: lockstep', stem: 'lock' }).up();
const a = await Client.to(lock.url);
let held = 0, taken = 0, back = 0;
for (let i = 0; i < 40; i++) {
    if ((await a.acquire('manual')).status === 'Good') taken++;
    if (await until(async () => await a.value('rig.authority-is-mine'), 100) < 100) held++;
    if ((await a.call('release-authority')).status === 'Good') back++;
}
is(`${taken} ${held} ${back}`, '40 40 40', 'lockstep: 40 times authority taken, held, given back');
await a.acquire('stream');
is((await a.write([['actuator:motor-1.command', double(1)]]))[0], 'Good', 'and commands are taken');
await lock.stop();

// ---- pace free can be commanded before it runs -------------------------------------------
const free = await new Rig('bench-free', { keys: 'pace: free', stem: 'free', autostart: false }).up();
const f = await Client.to(free.url);
await sleep(3000); /* its own clock falls behind meanwhile */
is(await f.value('rig.state-name'), 'ready', 'pace free: ready, and it says so after 3 s');
is((await f.call('arm')).status, 'Good', 'it is armed');
is((await f.call('single-step', count(10))).status, 'Good', 'steps');
ok(await until(async () => (await f.value('rig.step')) === 10, 1000) < 1000, 'ten of them');
is((await f.call('start')).status, 'Good', 'started');
const t0 = now();
ok(await until(async () => (await f.value('rig.time')) > 5, 4000) < 4000, 'and runs ahead of the clock', `${now() - t0} ms`);
is(await f.value('rig.state-name'), 'running', 'in sight');
await sleep(300);
is((await f.call('pause')).status, 'Good', 'until it is paused');
process.kill(free.pid('step'), 'SIGSTOP');
ok(await until(async () => (await f.status('rig.state-name')) === 'BadNoCommunication', 3000) < 3000, 'a step that stands still is noticed there too');
process.kill(free.pid('step'), 'SIGCONT');
ok(await until(async () => (await f.status('rig.state-name')) === 'Good', 3000) < 3000, 'and that it goes on');
await free.stop();
done();
