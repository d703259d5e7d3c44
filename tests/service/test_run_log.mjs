#!/usr/bin/env node
// What a run says of itself: the log as text and JSON, the end and its reason, ready, and
// ends in simulation time. RUN_ALONE NO_SANITIZER TIME_LIMIT=150
import { spawn } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { Client, Rig, bool, dir, done, double, is, now, ok, program, sleep, text, until } from './opcua_rig.mjs';

const models = resolve('config/models');
writeFileSync(join(dir, 'plain.yaml'), `rig: log-plain\nmodel: ${models}/pendulum.yaml\nstep: 1 ms\ntrip: {consecutive: 0}\nautostart: true\n`);
writeFileSync(join(dir, 'stop.yaml'), `rig: log-stop\nmodel: ${models}/pendulum.yaml\nstep: 1 ms\non-miss: stop\nautostart: true\n`);
const run = (file, ...args) => new Promise(r => {
    const c = spawn(program, ['run', join(dir, file), '--allow-degraded', ...args]);
    let out = '', err = '';
    c.stdout.on('data', d => out += d);
    c.stderr.on('data', d => err += d);
    c.on('exit', code => r({ code, out, err }));
});
const ended = r => r.out.match(/^ended .*/m)?.[0] ?? r.out;

// ---- ends ------------------------------------------------------------------------------
let r = await run('plain.yaml', '--pace', 'free', '--until', '20s');
is(r.code, 0, '--until ends with exit code 0');
ok(/ holding at t 20\.000 s after 20000 steps.*: --until is reached$/.test(ended(r)), 'at exactly that simulation time', ended(r));
r = await run('plain.yaml', '--pace', 'free', '--steps', '777');
ok(/ at t 0\.777 s after 777 steps.*: --steps are made$/.test(ended(r)), '--steps after exactly so many', ended(r));
const t0 = now();
r = await run('plain.yaml', '--until', '500 ms');
ok(/ at t 0\.(499|5\d\d) s /.test(ended(r)) && now() - t0 > 500, '--until in real time, with a unit', ended(r));
r = await run('plain.yaml', '--duration', '300ms');
ok(/: --duration is over$/.test(ended(r)), '--duration counts wall time', ended(r));
for (const bad of [['--steps', '0'], ['--steps', 'x'], ['--until', '-1'], ['--log', 'xml']])
    is((await run('plain.yaml', ...bad)).code, 2, `${bad.join(' ')} is wrong use`);
r = await run('plain.yaml', '--pace', 'free', '--steps', '5', '--quiet');
ok(/^ended .*\n$/.test(r.out), '--quiet keeps the end alone', r.out);
r = await run('stop.yaml', '--until', '1s', '--inject', '100:3', '--quiet');
is(r.code, 4, 'a tripped run ends with exit code 4');
ok(/^trip    t 0\.\d{3} s  tripped: a deadline miss with policy stop$/m.test(r.out), 'its trip is told, also when quiet', r.out);
ok(/ safe at t .*: a deadline miss with policy stop; --until is reached$/.test(ended(r)), 'and the end names it', ended(r));

// ---- misses are summed up ---------------------------------------------------------------
r = await run('plain.yaml', '--until', '2500ms', '--inject', Array.from({ length: 40 }, (_, i) => `${100 + 5 * i}:1.5`).join(','));
const sums = [...r.out.matchAll(/^miss .*missed (\d+) times?: .*?(\d+) injected/gm)];
is(sums.reduce((n, m) => n + Number(m[2]), 0), 40, 'all injected misses are counted');
ok(sums.length >= 1 && [...r.out.matchAll(/^miss /gm)].length <= 4, 'in a line a second', r.out);

// ---- JSON -------------------------------------------------------------------------------
r = await run('stop.yaml', '--duration', '1s', '--inject', '100:3', '--log', 'json');
const lines = r.out.trim().split('\n').map(l => { try { return JSON.parse(l); } catch { return l; } });
ok(lines.every(l => typeof l === 'object'), 'every line is a JSON object', r.out);
ok(lines.every(l => ['time', 't', 'step', 'kind', 'severity', 'message', 'fields'].every(k => k in l)), 'with the same keys', lines[0]);
ok(lines.every(l => Math.abs(Date.now() - new Date(l.time)) < 10000), 'and the time of day', lines.map(l => l.time));
const trip = lines.find(l => l.kind === 'trip');
is(`${trip?.severity} ${trip?.fields.trip}`, '800 a deadline miss with policy stop', 'a trip with its fields');
is(lines.at(-1).kind, 'ended', 'the last line is the end');
is(lines.at(-1).fields.reason, 'a deadline miss with policy stop', 'with the reason');

// ---- what clients do, and ready ------------------------------------------------------------
const ready = join(dir, 'ready');
writeFileSync(ready, 'rig=another\npid=1\nstate=old\nendpoint=nowhere\n'); // of a run that was killed
const rig = new Rig('log-rig', { keys: 'authority: {lease: 2 s, preempt: [opcua]}', args: ['--insecure', '--ready', ready], stem: 'log' });
ok(await until(() => existsSync(ready) && !readFileSync(ready, 'utf8').includes('state=old'), 20000) < 20000, 'the file appears');
const say = Object.fromEntries(readFileSync(ready, 'utf8').trim().split('\n').map(l => l.split('=')));
is(`${say.rig} ${say.pid} ${say.state}`, `log-rig ${rig.child.pid} running`, 'it says rig, pid and state');
const a = await Client.to(say.endpoint, { connectionStrategy: { maxRetry: 0 } });
ok(true, 'the endpoint answers at once');
const b = await Client.to(say.endpoint);
const line = async (pattern, name) => ok(await until(() => pattern.test(rig.said()), 2000, 20) < 2000, name, rig.said());
await line(/^ready   t \d+\.\d{3} s  running, opc\.tcp:\S+ answers$/m, 'so does the log');
await a.acquire('stream');
await line(/^authority t .* authority 1 granted to anonymous \(stream\)$/m, 'authority taken');
await a.write([['actuator:motor-2.command', double(1)]]);
await line(/^timeout t .* command timeout: motor-2$/m, 'a timeout');
await b.acquire('manual', true);
await line(/ authority 1 lost: taken by anonymous$/m, 'pre-empted, and by whom');
await line(/^request t .* acquire authority: done, by anonymous$/m, 'who asked for what');
await b.insert('gain', 'motor-3', 2, { n: 100 });
await line(/^fault   t .* inserted fault gain on motor-3 begins, slot 0, by anonymous$/m, 'a fault begins');
await line(/^fault   t .* inserted fault gain on motor-3 ends, slot 0, by anonymous$/m, 'and ends');
await b.call('pause');
await line(/^state   t .* state running -> holding$/m, 'a change of state');
process.kill(rig.pid('trapeze-opcua'), 'SIGKILL');
await line(/^service t .* service restarted: opcua$/m, 'a service that comes back');
await line(/ authority 2 of anonymous lost: service restarted$/m, 'and the authority that went with it');
const c = await Client.to(say.endpoint);
await c.call('estop');
await line(/^state   t .* state \w+ -> safe: emergency stop$/m, 'an emergency stop');
is(await rig.stop(), 0, 'the rig ends');
ok(/^ended   safe at t .*: emergency stop; told to end$/m.test(rig.said()), 'the end names why it is safe, and why it ends', rig.said().slice(-300));
ok(!existsSync(ready), 'the file is gone');
done();
