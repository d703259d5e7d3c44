#!/usr/bin/env node
// The server as a process: what it may, where it runs, and that it comes back when killed,
// while the step goes on.
// RUN_ALONE NEEDS_ROOT NO_SANITIZER TIME_LIMIT=90
import { readdirSync, readFileSync } from 'node:fs';
import { Client, Rig, done, double, id, is, now, ok, opcua, sleep, until } from './opcua_rig.mjs';
const { AttributeIds, TimestampsToReturn, constructEventFilter } = opcua;

const rig = await new Rig('test-opcua-life').up();
const a = await Client.to(rig.url), b = await Client.to(rig.url);
const status = pid => Object.fromEntries(readFileSync(`/proc/${pid}/status`, 'utf8').trim().split('\n').map(l => l.split(/:\s*/)));
const cores = list => list.split(',').flatMap(r => { const [x, y = x] = r.split('-').map(Number); return Array.from({ length: y - x + 1 }, (_, i) => x + i); });

// ---- rights --------------------------------------------------------------------------
const pid = rig.pid('trapeze-opcua');
ok(pid > 0, 'the server is a process of its own');
const threads = readdirSync(`/proc/${pid}/task`);
for (const t of threads) {
    const s = status(`${pid}/task/${t}`);
    const which = t === String(pid) ? 'it' : `its thread ${s.Name}`;
    ok(s.Uid.split('\t').every(u => u === s.Uid.split('\t')[0] && u !== '0'), `${which} runs as another user than root`, s.Uid);
    ok(s.Gid.split('\t').every(g => g !== '0') && (s.Groups ?? '').trim() === '', `${which} is in no group of root's`, `${s.Gid} ${s.Groups}`);
    is(['CapInh', 'CapPrm', 'CapEff', 'CapAmb'].map(k => Number(`0x${s[k]}`)), '0,0,0,0', `${which} has no capabilities`);
    is(s.NoNewPrivs, 1, `${which} gets no new privileges`);
    is(s.Seccomp, 2, `${which} is under a filter of system calls`);
}
const maps = readFileSync(`/proc/${pid}/maps`, 'utf8').split('\n').filter(l => /memfd|\/dev\/zero|SYSV/.test(l));
is(maps.filter(l => /^\S+ rw.s/.test(l)).length, 1, 'of the shared blocks it can write its own only');
ok(maps.filter(l => /^\S+ r-.s/.test(l)).length >= 2, 'and reads those of the step and the supervisor', maps);
const core = Number(rig.said().match(/on core (\d+)/)?.[1]);
ok(Number.isInteger(core), 'the step\'s core is said', rig.said());
if (cores(readFileSync('/sys/devices/system/cpu/online', 'utf8').trim()).length > 1)
    for (const t of threads) ok(!cores(status(`${pid}/task/${t}`).Cpus_allowed_list).includes(core), 'it is kept off the step\'s core', status(pid).Cpus_allowed_list);

// ---- killed, it comes back -----------------------------------------------------------
for (const round of [1, 2]) {
    const c = await Client.to(rig.url, { connectionStrategy: { maxRetry: 0, initialDelay: 10, maxDelay: 10 } });
    await until(async () => (await c.acquire('stream')).status === 'Good', 5000, 50);
    await c.write([['actuator:motor-1.command', double(5)]]);
    is(await c.value('rig.authority-is-mine'), true, `round ${round}: a session has authority`);
    const before = await c.value('rig.tick'), old = rig.pid('trapeze-opcua'), begin = now();
    process.kill(old, 'SIGKILL');
    let d;
    const took = await until(async () => {
        try { d = await Client.to(rig.url, { connectionStrategy: { maxRetry: 0, initialDelay: 10, maxDelay: 10 } }); return true; } catch { return false; }
    }, 5000, 20);
    ok(took < 2000, 'a new session is there within 2 s', `${took} ms`);
    console.log(`# ${took.toFixed(0)} ms from the kill to a new session`);
    ok(rig.pid('trapeze-opcua') !== old, 'of another process');
    const ticks = (await d.value('rig.tick')) - before, slots = now() - begin;
    ok(ticks > slots * 0.7, 'the step went on meanwhile', `${ticks} ticks in ${slots} ms`);
    is(await d.value('rig.authority'), 0, 'the authority is lost');
    ok(await until(async () => (await d.value('actuator:motor-1.applied')) === 0, 1000) < 1000, 'the actuator is safe');
    is(await d.write([['actuator:motor-1.command', double(1)]]), 'BadUserAccessDenied', 'a new session has to ask for it');
    is((await d.acquire('stream')).status, 'Good', 'and gets it');
    is(await d.write([['actuator:motor-1.command', double(1)]]), 'Good', 'commands go through');
    ok(await until(async () => (await d.value('actuator:motor-1.applied')) === 1, 250) < 250, 'and act');
    await d.call('release-authority');
    await d.close();
}
ok(/opcua was ended by signal 9/.test(rig.said()), 'the log says what happened', rig.said());

// ---- a client that waits comes back by itself ----------------------------------------
const e = await Client.to(rig.url);
process.kill(rig.pid('trapeze-opcua'), 'SIGKILL');
const back = await until(async () => { try { return (await e.value('rig.tick')) > 0; } catch { return false; } }, 10000, 50);
ok(back < 10000, 'a client that reconnects goes on reading', `${back} ms`);
is(await rig.stop(), 0, 'the rig ends well');
done();
