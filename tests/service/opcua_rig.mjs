// Help for the OPC UA tests: a rig in a folder of its own, the program running it, and
// node-opcua as a client that shares no code with the server.
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, openSync, statSync, writeFileSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { require, tests } from './packages.mjs';

export const opcua = {
    ...require('node-opcua-types'), ...require('node-opcua-numeric-range'), ...require('node-opcua-client'),
};
const { OPCUACertificateManager } = require('node-opcua-certificate-manager');
const { OPCUAClient, AttributeIds, DataType, VariantArrayType } = opcua;

// ---- TAP ---------------------------------------------------------------------------

let cases = 0, bad = 0;
export function ok(good, name, seen) {
    console.log(`${good ? 'ok' : 'not ok'} ${++cases} - ${name}`);
    if (!good) bad++;
    if (!good && seen !== undefined) console.log(`# ${typeof seen === 'string' ? seen : JSON.stringify(seen)}`);
}
export const is = (got, wanted, name) =>
    ok(String(got) === String(wanted), name, `wanted ${wanted}, got ${got}`);
export const sleep = ms => new Promise(r => setTimeout(r, ms));
export const now = () => performance.now();

// Wait until test() is true; returns the ms it took, Infinity after `most`.
export async function until(test, most = 5000, every = 2) {
    const begin = now();
    while (now() - begin < most) {
        if (await test()) return now() - begin;
        await sleep(every);
    }
    return Infinity;
}

// ---- the rig -----------------------------------------------------------------------

export const dir = process.env.TEST_DIR ?? mkdtempSync(join(tmpdir(), 'trapeze-opcua-'));
export const program = resolve(process.env.TRAPEZE ?? 'build/trapeze');

// A mechanism made for looking at: eight slides with a motor each, and a clock: a joint
// that is at position t (m) at time t (s), seen by many sensors.
export function slides(clocks = 90) {
    const n = [1, 2, 3, 4, 5, 6, 7, 8];
    return `model: slides
gravity: [0, 0, -9.81]
parameters:
  grip: {value: 2 N.s/m, live: true, range: [0 N.s/m, 10 N.s/m]}
  weight: 1 kg
bodies:
  hand: {mass: 1, inertia: [1, 1, 1], position: [0, 0, 0], velocity: [1, 0, 0]}
${n.map(i => `  sled-${i}: {mass: weight, inertia: [1, 1, 1], position: [0, ${i}, 0]}`).join('\n')}
joints:
  clock: {type: prismatic, between: [ground, hand], at: [0, 0, 0], axis: [1, 0, 0]}
${n.map(i => `  slide-${i}: {type: prismatic, between: [ground, sled-${i}], at: [0, ${i}, 0], axis: [1, 0, 0]}`).join('\n')}
motions:
  hand: {joint: clock, value: "t"}
forces:
${n.map(i => `  drag-${i}: {type: spring-damper, between: [ground, sled-${i}], from: [-1, ${i}, 0], to: [0, ${i}, 0], stiffness: 1, damping: grip, length: 1}`).join('\n')}
actuators:
${n.map(i => `  motor-${i}: {type: force, joint: slide-${i}, unit: N, range: [-10, 10], safe: 0}`).join('\n')}
sensors:
  place: {type: position, body: sled-1}
${n.map(i => `  at-${i}: {type: joint-position, joint: slide-${i}, unit: mm, range: [-5000, 5000]}`).join('\n')}
${Array.from({ length: clocks }, (_, i) => `  clock-${i}: {type: joint-position, joint: clock}`).join('\n')}
`;
}

export class Rig {
    // name: of the rig; keys: more lines of the rig file; args: of trapeze run
    constructor(name, { model = slides(), keys = '', args = ['--insecure'], port = 0, stem = name, timeout = '300 ms', autostart = true } = {}) {
        mkdirSync(dir, { recursive: true });
        this.name = name;
        this.log = join(dir, `${stem}.log`);
        this.file = join(dir, `${stem}.yaml`);
        writeFileSync(join(dir, `${stem}-model.yaml`), model);
        writeFileSync(this.file, `rig: ${name}
model: ${stem}-model.yaml
step: 1 ms
trip: {consecutive: 0}
autostart: ${autostart}
commands: {timeout: ${timeout}, action: zero}
${keys}
services:
  opcua: {${port ? `port: ${port}` : ''}}
`);
        const to = openSync(this.log, 'w');
        this.child = spawn(program, ['run', this.file, '--allow-degraded', ...args],
            { stdio: ['ignore', to, to], detached: true });
        this.ended = new Promise(r => this.child.on('exit', (code, signal) => { this.gone = true; r(code ?? signal); }));
        process.on('exit', () => { if (!this.gone) try { process.kill(this.child.pid, 'SIGKILL'); } catch { } });
    }
    said() { return readFileSync(this.log, 'utf8'); }
    // the address it says; the server listens once a client gets through
    async up() {
        const took = await until(() => this.gone || /^opc\.tcp:/m.test(this.said()), 20000, 20);
        if (took === Infinity || this.gone) throw new Error(`the rig did not start:\n${this.said()}`);
        this.url = this.said().match(/^(opc\.tcp:\S+)/m)[1];
        return this;
    }
    // pids of its processes by their names: trapeze-opcua, or the step process
    pid(what) {
        const rows = execFileSync('ps', ['-eo', 'pid=,ppid=,comm='], { encoding: 'utf8' })
            .split('\n').map(l => l.trim().split(/\s+/)).filter(r => Number(r[1]) === this.child.pid);
        const row = what === 'step' ? rows.find(r => !r[2].startsWith('trapeze-') || r[2] === 'trapeze-step')
            : rows.find(r => r[2] === what);
        return row ? Number(row[0]) : 0;
    }
    async stop() {
        if (!this.gone) process.kill(this.child.pid, 'SIGTERM');
        return this.ended;
    }
}

// ---- the client --------------------------------------------------------------------

const pki = new OPCUACertificateManager({ rootFolder: join(dir, 'pki'), automaticallyAcceptUnknownCertificate: true });
export const id = name => `ns=2;s=${name}`;
export const double = v => ({ dataType: DataType.Double, value: v });
export const doubles = v => ({ dataType: DataType.Double, arrayType: VariantArrayType.Array, value: Float64Array.from(v) });
export const text = v => ({ dataType: DataType.String, value: v });
export const texts = v => ({ dataType: DataType.String, arrayType: VariantArrayType.Array, value: v });
export const count = v => ({ dataType: DataType.UInt64, arrayType: VariantArrayType.Scalar, value: [0, v] });
export const bool = v => ({ dataType: DataType.Boolean, value: v });
// a 64-bit number comes as [high, low]
export const big = v => Array.isArray(v) && v.length === 2 ? v[0] * 2 ** 32 + v[1] : v;

export class Client {
    static async to(url, options = {}, user) {
        const c = new Client();
        await pki.initialize();
        c.client = OPCUAClient.create({
            endpointMustExist: false, clientCertificateManager: pki, keepSessionAlive: false,
            connectionStrategy: { maxRetry: 20, initialDelay: 50, maxDelay: 200 }, requestedSessionTimeout: 60000, ...options,
        });
        // node-opcua always says what its certificate says; a client that lies is made so
        if (options.claims) c.client._getApplicationUri = () => options.claims;
        await c.client.connect(url);
        c.session = await c.client.createSession(user);
        return c;
    }
    read(names) {
        return this.session.read(names.map(n => ({ nodeId: n.includes('=') ? n : id(n), attributeId: AttributeIds.Value })));
    }
    async value(name) {
        const v = (await this.read([name]))[0];
        return big(v.value?.value);
    }
    async status(name) { return (await this.read([name]))[0].statusCode.name; }
    // [[name, variant], ...]: the names of the status codes
    async write(list, more = {}) {
        const r = await this.session.write(list.map(([n, v]) =>
            ({ nodeId: id(n), attributeId: AttributeIds.Value, value: { value: v, ...more.value }, ...more.item })));
        return r.map(s => s.name);
    }
    async call(method, ...args) {
        const r = await this.session.call({ objectId: id('rig'), methodId: id(`rig.${method}`), inputArguments: args });
        const [answer, step, number, ticket] = (r.outputArguments ?? []).map(o => big(o.value));
        return { status: r.statusCode.name, answer, step, number, ticket };
    }
    acquire(mode = 'stream', preempt = false) { return this.call('acquire-authority', text(mode), bool(preempt)); }
    // a fault from a step on (0: the next) for n steps (0: until cleared)
    insert(kind, target, value, { from = 0, n = 0, visible = false, seed = 0 } = {}) {
        return this.call('insert-fault', text(kind), text(target), double(value), count(from), count(n), bool(visible), count(seed));
    }
    snapshot(name = '') { return this.call('snapshot', text(name)); }
    restore(name = '') { return this.call('restore', text(name)); }
    async close() {
        try { await this.session.close(); await this.client.disconnect(); } catch { }
    }
    // cut the line without a word
    cut() { this.client._secureChannel?.getTransport?.()?._socket?.destroy?.(); }
}

export function done() {
    console.log(`1..${cases}`);
    process.exit(bad ? 1 : 0);
}
