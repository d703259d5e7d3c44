#!/usr/bin/env node
// Who gets in, and what each role may: endpoints, certificates, passwords, and the role
// matrix taken from the address space itself.
// RUN_ALONE NO_SANITIZER TIME_LIMIT=240
import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { Client, Rig, dir, done, double, id, is, ok, opcua, program, sleep, until } from './opcua_rig.mjs';
const { AttributeIds, MessageSecurityMode, NodeClass, OPCUAClient, SecurityPolicy, UserTokenType } = opcua;

const state = join(dir, 'state');
rmSync(state, { recursive: true, force: true });
process.env.TRAPEZE_STATE = state;
chmodSync(dir, 0o755); // the server's unprivileged user reads the trust list
const trapeze = (words, input = '') => spawnSync(program, ['opcua', ...words], { input, encoding: 'utf8' });

// ---- users and certificates on the command line --------------------------------------
for (const [name, role] of [['olga', 'observer'], ['otto', 'operator'], ['ella', 'engineer']])
    is(trapeze(['user', 'add', name, '--role', role], `${name}-password\n`).status, 0, `user add ${name}`);
is(trapeze(['user', 'add', 'x', '--role', 'king'], 'long-enough\n').status, 1, 'an unknown role is refused');
is(trapeze(['user', 'add', 'x', '--role', 'observer'], 'short\n').status, 1, 'a short password is refused');
is(trapeze(['user', 'add', 'a:b', '--role', 'observer'], 'long-enough\n').status, 1, 'so is a name with a colon');
is(trapeze(['user', 'add', 'x']).status, 2, 'a user without a role is wrong use');
ok(/^ella +engineer$/m.test(trapeze(['user', 'list']).stdout), 'user list');
trapeze(['user', 'add', 'gone', '--role', 'observer'], 'gone-password\n');
is(trapeze(['user', 'remove', 'gone']).status, 0, 'user remove');
is(statSync(join(state, 'opcua', 'users')).mode & 0o777, 0o600, 'the file of users is for its owner only');
ok(/^ella:engineer:\$y\$/m.test(readFileSync(join(state, 'opcua', 'users'), 'utf8')), 'passwords are kept as yescrypt');
is(trapeze(['cert', 'show']).status, 0, 'cert show makes the certificate');
is(statSync(join(state, 'opcua', 'own', 'key.der')).mode & 0o777, 0o600, 'the key is for its owner only');
const own = execFileSync('openssl', ['x509', '-inform', 'der', '-in', join(state, 'opcua', 'own', 'certificate.der'), '-noout', '-text'], { encoding: 'utf8' });
ok(/URI:urn:trapeze:server/.test(own), 'the certificate names the application');

// ---- endpoints -----------------------------------------------------------------------
const rig = await new Rig('test-opcua-secure', { args: [] }).up();
const finder = OPCUAClient.create({ endpointMustExist: false, connectionStrategy: { maxRetry: 20, initialDelay: 100, maxDelay: 200 } });
await finder.connect(rig.url);
const endpoints = await finder.getEndpoints();
const shown = endpoints.map(e => `${e.securityPolicyUri.split('#')[1]} ${MessageSecurityMode[e.securityMode]} ${e.userIdentityTokens.map(t => UserTokenType[t.tokenType])}`).sort();
is(shown.join('; '), ['Aes128_Sha256_RsaOaep', 'Aes256_Sha256_RsaPss', 'Basic256Sha256'].flatMap(p =>
    [`${p} Sign UserName`, `${p} SignAndEncrypt UserName`]).join('; '), 'exactly six secure endpoints, passwords only');
const anonymous = await finder.createSession().then(() => 'in', e => e.message);
ok(anonymous !== 'in', 'policy None is for finding endpoints only', anonymous);
await finder.disconnect();

// ---- the client's certificates, made by openssl --------------------------------------
const certs = join(dir, 'certs');
mkdirSync(certs, { recursive: true });
function certificate(name, { uri = 'urn:test:client', days = 30, bits = 2048 } = {}) {
    const key = join(certs, `${name}.key`), pem = join(certs, `${name}.pem`), der = join(certs, `${name}.der`);
    const dates = days < 0 ? ['-not_before', '20200101000000Z', '-not_after', '20200201000000Z'] : ['-days', String(days)];
    const ext = ['basicConstraints=critical,CA:FALSE', 'keyUsage=critical,digitalSignature,nonRepudiation,keyEncipherment,dataEncipherment,keyCertSign',
        'extendedKeyUsage=clientAuth', `subjectAltName=URI:${uri},DNS:localhost`].flatMap(e => ['-addext', e]);
    const env = { ...process.env };
    delete env.OPENSSL_CONF; // node-opcua sets it to a file that is not there
    const run = (...a) => execFileSync('openssl', a, { env, stdio: ['ignore', 'ignore', 'pipe'] });
    if (days < 0) { // x509 of openssl 3.0 knows no dates: set the clock of the request
        run('req', '-newkey', `rsa:${bits}`, '-nodes', '-keyout', key, '-out', `${pem}.csr`, '-subj', `/O=test/CN=${name}`);
        execFileSync('bash', ['-c', `printf 'basicConstraints=critical,CA:FALSE\\nkeyUsage=critical,digitalSignature,nonRepudiation,keyEncipherment,dataEncipherment,keyCertSign\\nextendedKeyUsage=clientAuth\\nsubjectAltName=URI:${uri},DNS:localhost\\n' > ${pem}.ext; mkdir -p ${certs}/ca; : > ${certs}/ca/index; echo 01 > ${certs}/ca/serial; printf '[ca]\\ndefault_ca=d\\n[d]\\ndatabase=${certs}/ca/index\\nserial=${certs}/ca/serial\\nnew_certs_dir=${certs}/ca\\ndefault_md=sha256\\npolicy=p\\n[p]\\norganizationName=optional\\ncommonName=supplied\\n' > ${certs}/ca/conf; openssl ca -batch -notext -config ${certs}/ca/conf -selfsign -keyfile ${key} -in ${pem}.csr -out ${pem} -startdate 20200101000000Z -enddate 20200201000000Z -extfile ${pem}.ext`], { env, stdio: 'pipe' });
    } else run('req', '-x509', '-newkey', `rsa:${bits}`, '-nodes', '-keyout', key, '-out', pem, '-subj', `/O=test/CN=${name}`, ...dates, ...ext);
    run('x509', '-in', pem, '-outform', 'der', '-out', der);
    return { certificateFile: pem, privateKeyFile: key, applicationUri: uri, der };
}
const secure = (c, policy = SecurityPolicy.Basic256Sha256, mode = MessageSecurityMode.SignAndEncrypt) =>
    ({ ...c, securityPolicy: policy, securityMode: mode, endpointMustExist: false, connectionStrategy: { maxRetry: 0, initialDelay: 100, maxDelay: 100 } });
const user = (name, password = `${name}-password`) => ({ type: UserTokenType.UserName, userName: name, password });
const enter = (c, who, ...more) => Client.to(rig.url, secure(c, ...more), who);
const attempt = async (c, who, ...more) => { try { const x = await enter(c, who, ...more); await x.close(); return 'in'; } catch (e) { return e.message; } };

const good = certificate('good');
const first = await attempt(good, user('ella'));
ok(first !== 'in', 'an unknown client is refused, the trust list being empty', first);
ok(await until(() => /client certificate [0-9a-f]{8} refused: it is not trusted: trapeze opcua cert trust LAST/.test(rig.said()), 2000) < 2000,
    'and the log says what to do', rig.said());
ok(/^rejected +[0-9a-f]{40}$/m.test(trapeze(['cert', 'list']).stdout), 'its certificate is kept');
is(trapeze(['cert', 'trust', 'LAST']).status, 0, 'cert trust LAST');
is(await attempt(good, user('ella')), 'in', 'after which it gets in, without a restart');
for (const policy of ['Basic256Sha256', 'Aes128_Sha256_RsaOaep', 'Aes256_Sha256_RsaPss'])
    for (const mode of [MessageSecurityMode.Sign, MessageSecurityMode.SignAndEncrypt])
        is(await attempt(good, user('ella'), SecurityPolicy[policy], mode), 'in', `${policy} ${MessageSecurityMode[mode]}`);
for (const [name, how, words] of [
    ['expired', { days: -1 }, /refused: it has expired or is not valid yet/],
    ['stranger', {}, /refused: it is not trusted/],
]) {
    const c = certificate(name, how);
    if (name !== 'stranger') is(trapeze(['cert', 'trust', c.der]).status, 0, `${name}: trusted by file`);
    const from = rig.said().length;
    const got = await attempt(c, user('ella'));
    ok(got !== 'in', `${name}: refused`, got);
    ok(await until(() => words.test(rig.said().slice(from)), 2000) < 2000, `${name}: in plain words`, rig.said().slice(from));
}
const weak = certificate('weak', { bits: 1024 });
trapeze(['cert', 'trust', weak.der]);
const weakGot = await attempt(weak, user('ella'));
ok(weakGot !== 'in', 'a key of 1024 bits: refused', weakGot);
ok(await until(() => /BadCertificateUseNotAllowed/.test(rig.said()), 2000) < 2000, 'with BadCertificateUseNotAllowed');
is(await attempt(good, user('ella')), 'in', 'the server lives and lets the good one in');

// ---- passwords -----------------------------------------------------------------------
ok(await attempt(good, user('ella', 'wrong-password')) !== 'in', 'a wrong password is refused');
ok(await attempt(good, user('ella')) !== 'in', 'then even the right one has to wait');
await sleep(1200);
is(await attempt(good, user('ella')), 'in', 'for a second');
ok(await attempt(good, user('nobody')) !== 'in', 'an unknown name is refused');
ok(await attempt(good, user('ella', '')) !== 'in', 'an empty password too');
await sleep(1200);
ok(await attempt(good, undefined) !== 'in', 'nobody is anonymous');
ok(!/password/.test(rig.said().replace(/there are no users.*/, '')), 'no password is in the log');

// ---- the role matrix -----------------------------------------------------------------
const ella = await enter(good, user('ella')), otto = await enter(good, user('otto')), olga = await enter(good, user('olga'));
const nodes = [], seen = new Set();
async function walk(node) {
    for (const r of (await ella.session.browse({ nodeId: node, referenceTypeId: 'HasChild', includeSubtypes: true, browseDirection: 0, resultMask: 63, nodeClassMask: 0 })).references) {
        const key = r.nodeId.toString();
        if (seen.has(key) || !key.startsWith('ns=2;')) continue;
        seen.add(key);
        nodes.push({ key, kind: r.nodeClass, name: key.slice(7) });
        await walk(key);
    }
}
await walk(id('rig'));
ok(nodes.length > 300, 'the address space is walked', nodes.length);
const writable = n => /^actuator:.*\.command$|^actuators\.commands$/.test(n);
const engineers = ['set-parameter', 'set-overrun-policy', 'reset-statistics', 'insert-fault', 'clear-faults', 'snapshot', 'restore'];
const level = { olga: 1, otto: 2, ella: 3 };
let wrong = [];
for (const [who, c] of Object.entries({ olga, otto, ella })) {
    const of = kind => nodes.filter(n => n.kind === kind);
    const variables = of(NodeClass.Variable), methods = of(NodeClass.Method);
    for (let at = 0; at < variables.length; at += 200) {
        const some = variables.slice(at, at + 200);
        const values = await c.session.read(some.map(n => ({ nodeId: n.key, attributeId: AttributeIds.Value })));
        const access = await c.session.read(some.map(n => ({ nodeId: n.key, attributeId: AttributeIds.UserAccessLevel })));
        const writes = await c.session.write(some.map(n => ({ nodeId: n.key, attributeId: AttributeIds.Value, value: { value: double(0) } })));
        const names = await c.session.write(some.map(n => ({ nodeId: n.key, attributeId: AttributeIds.DisplayName, value: { value: { dataType: 'LocalizedText', value: { text: 'x' } } } })));
        some.forEach((n, i) => {
            const may = writable(n.name) && level[who] >= 2;
            // a role that may write fails for want of authority or by type: never by its role alone
            const got = writes[i].name;
            const good = values[i].statusCode.name.startsWith('Bad') === false && ((access[i].value.value & 2) !== 0) === may &&
                (may ? ['BadUserAccessDenied', 'BadTypeMismatch'].includes(got) : ['BadNotWritable', 'BadUserAccessDenied'].includes(got)) &&
                names[i].name.startsWith('Bad');
            if (!good) wrong.push(`${who} ${n.name}: read ${values[i].statusCode.name}, access ${access[i].value.value}, write ${got}, rename ${names[i].name}`);
        });
    }
    const executable = await c.session.read(methods.map(n => ({ nodeId: n.key, attributeId: AttributeIds.UserExecutable })));
    for (const [i, n] of methods.entries()) {
        const may = level[who] >= (engineers.includes(n.name.slice(4)) ? 3 : 2);
        if (executable[i].value.value !== may) wrong.push(`${who} ${n.name}: executable ${executable[i].value.value}`);
        if (!may) { // refused before its arguments are looked at
            const r = await c.session.call({ objectId: id('rig'), methodId: n.key, inputArguments: [] });
            if (r.statusCode.name !== 'BadNotExecutable') wrong.push(`${who} calls ${n.name}: ${r.statusCode.name}`);
        }
    }
}
is(wrong.length, 0, `the role matrix holds: ${nodes.length} nodes, 3 roles, read, write, rename, call`);
for (const w of wrong.slice(0, 20)) console.log(`# ${w}`);
is((await otto.acquire('stream')).status, 'Good', 'an operator gets authority');
is(await otto.write([['actuator:motor-1.command', double(2)]]), 'Good', 'and commands');
is((await olga.acquire('stream')).status, 'BadNotExecutable', 'an observer does not');
is((await ella.call('estop')).status, 'Good', 'an engineer stops');
is((await olga.call('estop')).status, 'BadNotExecutable', 'an observer cannot');
await rig.stop();
done();
