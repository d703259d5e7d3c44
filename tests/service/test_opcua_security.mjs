#!/usr/bin/env node
// Who gets in, and what each role may: endpoints, certificates, passwords, and the role
// matrix taken from the address space itself.
// RUN_ALONE NO_SANITIZER TIME_LIMIT=240
import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client, Rig, dir, done, double, id, is, ok, opcua, program, sleep, text, until } from './opcua_rig.mjs';
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
is(trapeze(['cert', 'make']).status, 0, 'cert make');
is(statSync(join(state, 'opcua', 'own', 'key.der')).mode & 0o777, 0o600, 'the key is for its owner only');
const own = execFileSync('openssl', ['x509', '-inform', 'der', '-in', join(state, 'opcua', 'own', 'certificate.der'), '-noout', '-text'], { encoding: 'utf8' });
const uri = own.match(/URI:(urn:[^,\s]+:trapeze:[0-9a-f]{8})/)?.[1];
ok(uri, 'the certificate names the application, and this installation', own);

const modes = part => { const s = statSync(join(state, 'opcua', part)); return `${(s.mode & 0o777).toString(8)} ${s.uid === process.getuid() ? 'mine' : 'given'}`; };
is(['own', 'client', 'trusted', 'issuers', 'crl'].map(modes), '700 mine,700 mine,755 mine,755 mine,755 mine', 'folders of the state: keys closed, lists to read');

// ---- endpoints -----------------------------------------------------------------------
const rig = await new Rig('test-opcua-secure', { args: [] }).up();
const finder = OPCUAClient.create({ endpointMustExist: false, connectionStrategy: { maxRetry: 20, initialDelay: 100, maxDelay: 200 } });
await finder.connect(rig.url);
is(modes('rejected'), process.getuid() === 0 ? '755 given' : '755 mine', 'only refused certificates may be put there by the server');
const endpoints = await finder.getEndpoints();
const shown = endpoints.map(e => `${e.securityPolicyUri.split('#')[1]} ${MessageSecurityMode[e.securityMode]} ${e.userIdentityTokens.map(t => UserTokenType[t.tokenType])}`).sort();
is(shown.join('; '), ['Aes128_Sha256_RsaOaep', 'Aes256_Sha256_RsaPss', 'Basic256Sha256'].flatMap(p =>
    [`${p} Sign UserName`, `${p} SignAndEncrypt UserName`]).join('; '), 'exactly six secure endpoints, passwords only');
const anonymous = await finder.createSession().then(() => 'in', e => e.message);
ok(anonymous !== 'in', 'policy None is for finding endpoints only', anonymous);
const servers = await finder.findServers();
is(servers.map(v => v.applicationUri), uri, 'FindServers works without logging in');
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
ok(await until(() => /client certificate [0-9a-f]{8} refused: nobody is trusted yet; it is not trusted: trapeze opcua cert trust LAST \(BadCertificateUntrusted\)/.test(rig.said()), 2000) < 2000,
    'and the log says what to do', rig.said());
ok(/^rejected +[0-9a-f]{12} +good +until \d{4}-\d\d-\d\d +urn:test:client$/m.test(trapeze(['cert', 'list']).stdout), 'its certificate is kept', trapeze(['cert', 'list']).stdout);
is(trapeze(['cert', 'trust', 'LAST', '--yes']).status, 0, 'cert trust LAST');
is(await attempt(good, user('ella')), 'in', 'after which it gets in, without a restart');
for (const policy of ['Basic256Sha256', 'Aes128_Sha256_RsaOaep', 'Aes256_Sha256_RsaPss'])
    for (const mode of [MessageSecurityMode.Sign, MessageSecurityMode.SignAndEncrypt])
        is(await attempt(good, user('ella'), SecurityPolicy[policy], mode), 'in', `${policy} ${MessageSecurityMode[mode]}`);
// each case: how the certificate is made, whether it is trusted, what the log says
const refused = async (name, c, words) => {
    const from = rig.said().length;
    const got = await attempt(c, user('ella'));
    ok(got !== 'in', `${name}: refused`, got);
    ok(await until(() => words.test(rig.said().slice(from)), 2000) < 2000, `${name}: in plain words with its status`, rig.said().slice(from));
    await sleep(300); // the log takes five lines a second
};
await refused('stranger', certificate('stranger'), /client certificate [0-9a-f]{8} refused: it is not trusted: trapeze opcua cert trust LAST \(BadCertificateUntrusted\)/);
const expired = certificate('expired', { days: -1 });
ok(/BUT it will be refused all the same: it has expired/.test(trapeze(['cert', 'trust', expired.der]).stdout), 'expired: trust warns');
await refused('expired', expired, /refused: it has expired, on 2020-02-01: make a new one \(BadCertificateTimeInvalid\)/);
const weak = certificate('weak', { bits: 1024 });
ok(/BUT it will be refused all the same: its key has 1024 bits, 2048 are needed/.test(trapeze(['cert', 'trust', weak.der]).stdout), 'a key of 1024 bits: trust warns');
await refused('a key of 1024 bits', weak, /refused: its key has 1024 bits, 2048 are needed: make a new one \(BadCertificatePolicyCheckFailed\)/);
ok(/^key +RSA, 1024 bits$/m.test(trapeze(['cert', 'show', weak.der]).stdout), 'cert show tells the size of the key');
const liar = { ...certificate('liar', { uri: 'urn:test:certified' }), claims: 'urn:test:claimed' };
is(trapeze(['cert', 'trust', liar.der]).status, 0, 'wrong application URI: trusted by file');
await refused('wrong application URI', liar, /refused: it was made for the application 'urn:test:certified', not for 'urn:test:claimed' \(BadCertificateUriInvalid\)/);

// an authority: its certificate among the issuers, its list of what it revoked
const authority = (() => {
    const at = join(certs, 'authority'), env = { ...process.env };
    delete env.OPENSSL_CONF;
    mkdirSync(at, { recursive: true });
    const run = (...a) => execFileSync('openssl', a, { env, cwd: at, stdio: ['ignore', 'ignore', 'pipe'] });
    for (const [name, what] of [['index', ''], ['serial', '01'], ['crlnumber', '01'],
        ['conf', '[ca]\ndefault_ca=d\n[d]\ndatabase=index\nserial=serial\ncrlnumber=crlnumber\nnew_certs_dir=.\ndefault_md=sha256\npolicy=p\ncertificate=ca.pem\nprivate_key=ca.key\ndefault_days=30\ndefault_crl_days=30\n[p]\norganizationName=optional\ncommonName=supplied\n']])
        writeFileSync(join(at, name), what);
    run('req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-keyout', 'ca.key', '-out', 'ca.pem', '-subj', '/O=test/CN=authority', '-days', '30',
        '-addext', 'basicConstraints=critical,CA:TRUE', '-addext', 'keyUsage=critical,keyCertSign,cRLSign');
    run('x509', '-in', 'ca.pem', '-outform', 'der', '-out', 'ca.der');
    return {
        der: join(at, 'ca.der'),
        sign(name, uri) {
            run('req', '-newkey', 'rsa:2048', '-nodes', '-keyout', `${name}.key`, '-out', `${name}.csr`, '-subj', `/O=test/CN=${name}`);
            writeFileSync(join(at, `${name}.ext`), `basicConstraints=critical,CA:FALSE\nkeyUsage=critical,digitalSignature,nonRepudiation,keyEncipherment,dataEncipherment\nextendedKeyUsage=clientAuth\nsubjectAltName=URI:${uri},DNS:localhost\n`);
            run('ca', '-batch', '-notext', '-config', 'conf', '-in', `${name}.csr`, '-out', `${name}.pem`, '-extfile', `${name}.ext`);
            return { certificateFile: join(at, `${name}.pem`), privateKeyFile: join(at, `${name}.key`), applicationUri: uri };
        },
        revoke(name) { run('ca', '-config', 'conf', '-revoke', `${name}.pem`); },
        list(name) {
            run('ca', '-config', 'conf', '-gencrl', '-out', `${name}.pem`);
            run('crl', '-in', `${name}.pem`, '-outform', 'der', '-out', `${name}.der`);
            return join(at, `${name}.der`);
        },
    };
})();
const member = authority.sign('member', 'urn:test:member'), thief = authority.sign('thief', 'urn:test:thief');
is(trapeze(['cert', 'trust', authority.der]).status, 0, 'an authority is trusted');
await refused('an authority without its list', member, /refused: the list of what its issuer authority revoked is missing: trapeze opcua cert crl FILE \(BadCertificateRevocationUnknown\)/);
is(trapeze(['cert', 'crl', authority.list('first')]).status, 0, 'with its list of revoked certificates');
ok(/^crl +[0-9a-f]{12} +authority/m.test(trapeze(['cert', 'list']).stdout), 'which is listed');
is(await attempt(member, user('ella')), 'in', 'what it signed gets in');
is(await attempt(thief, user('ella')), 'in', 'the thief too, until the theft is known');
authority.revoke('thief');
for (const f of readdirSync(join(state, 'opcua', 'crl'))) rmSync(join(state, 'opcua', 'crl', f));
is(trapeze(['cert', 'crl', authority.list('second')]).status, 0, 'a new list');
await refused('revoked', thief, /refused: its issuer (?:authority )?has revoked it: make a new one \(BadCertificateRevoked\)/);
is(await attempt(member, user('ella')), 'in', 'the others stay in');
is(trapeze(['cert', 'crl', authority.der]).status, 1, 'a certificate is no list');
is(trapeze(['cert', 'trust', good.certificateFile]).status, 1, 'a PEM file is refused with the command that turns it');
for (let i = 0; i < 3; i++) await attempt(certificate(`many-${i}`), user('ella'));
ok(readdirSync(join(state, 'opcua', 'rejected')).length <= 20, 'no more than 20 refused certificates are kept');
is(await attempt(good, user('ella')), 'in', 'the server lives and lets the good one in');

// ---- passwords -----------------------------------------------------------------------
ok(await attempt(good, user('ella', 'wrong-password')) !== 'in', 'a wrong password is refused');
ok(await attempt(good, user('ella')) !== 'in', 'then even the right one has to wait');
await sleep(1200);
is(await attempt(good, user('ella')), 'in', 'for a second');
ok(await attempt(good, user('ella', 'wrong-password')) !== 'in', 'wrong again');
is(await attempt(member, user('ella')), 'in', 'another client of the same user does not wait');
ok(await attempt(good, user('ella')) !== 'in', 'the first one does');
await sleep(1200);
ok(await attempt(good, user('ella', 'wrong-password')) !== 'in', 'and wrong a second time');
await sleep(1200);
ok(await attempt(good, user('ella')) !== 'in', 'it waits longer');
await sleep(1200);
is(await attempt(good, user('ella')), 'in', 'two seconds');
ok(/login of ella refused: wrong password; the next try counts after 2 s/.test(rig.said()), 'the log says so', rig.said());
ok(await attempt(good, user('nobody')) !== 'in', 'an unknown name is refused');
ok(await attempt(good, user('ella', '')) !== 'in', 'an empty password too');
await sleep(1200);
ok(await attempt(good, undefined) !== 'in', 'nobody is anonymous');
ok(!/-password|many-0|BEGIN|PRIVATE/.test(rig.said().replace(/there are no users.*/, '')), 'no secret is in the log', rig.said());

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
const engineers = ['set-parameter', 'lock-joint', 'release-joint', 'set-overrun-policy', 'reset-statistics', 'insert-fault', 'clear-faults', 'snapshot', 'restore'];
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
// ---- a session that becomes somebody else --------------------------------------------
await ella.call('reset'); await ella.call('arm'); await ella.call('start');
is((await otto.acquire('manual')).status, 'Good', 'an operator with authority');
is((await otto.session.changeUser?.(user('olga')))?.name ?? 'none', 'Good', 'becomes an observer by a new activation');
is(await otto.write([['actuator:motor-1.command', double(1)]]), 'BadUserAccessDenied', 'its role is set anew');
is((await otto.call('pause')).status, 'BadNotExecutable', 'it may no longer call');
ok(await until(async () => (await ella.value('rig.authority')) === 0, 1000) < 1000, 'and its authority is given back');

// ---- what is taken away acts on open sessions ----------------------------------------
trapeze(['user', 'add', 'gus', '--role', 'engineer'], 'gus-password\n');
const reads = c => c.status('rig.step');
// this client repairs sessions for ever, so one whose session ends is watched from the server's side
const ends = async (c, why, what) => {
    const ms = await until(() => new RegExp(`session of \\w+ closed: .*${why}`).test(rig.said()), 2000);
    ok(ms < 1000, `${what}: its session ends at once`, ms);
    const late = await Promise.race([reads(c).catch(e => e.message), sleep(300)]);
    ok(late !== 'Good', 'and reads nothing more', late);
    c.client.disconnect().catch(() => { });
};
let gus = await enter(good, user('gus'));
is(await reads(gus), 'Good', 'a user added while the rig runs gets in');
is((await gus.call('snapshot', text(''))).status, 'Good', 'as an engineer');
is(trapeze(['user', 'role', 'gus', '--role', 'observer']).status, 0, 'made an observer');
ok(await until(async () => (await gus.call('snapshot')).status === 'BadNotExecutable', 2000) < 1000, 'the role counts at once');
is(await reads(gus), 'Good', 'and the session stays');
is(trapeze(['user', 'passwd', 'gus'], 'other-password\n').status, 0, 'a new password');
await ends(gus, 'the password was changed', 'a changed password');
ok(await attempt(good, user('gus')) !== 'in', 'the old password is refused');
await sleep(1200);
gus = await enter(good, user('gus', 'other-password'));
is(await reads(gus), 'Good', 'the new one counts');
is(trapeze(['user', 'remove', 'gus']).status, 0, 'removed');
await ends(gus, 'the user is gone', 'a removed user');
ok(await attempt(good, user('gus', 'other-password')) !== 'in', 'a removed user does not come in again');
ok(/session of gus closed: the user is gone/.test(rig.said()), 'the log says why', rig.said());
is(await reads(ella), 'Good', 'nobody else was sent away');
const visitor = certificate('visitor');
is(trapeze(['cert', 'trust', visitor.der]).status, 0, 'a client more');
const guest = await enter(visitor, user('olga'));
is(await reads(guest), 'Good', 'is in');
const visitorName = trapeze(['cert', 'list']).stdout.match(/^trusted +([0-9a-f]{12}) +visitor/m)[1];
is(trapeze(['cert', 'reject', visitorName]).status, 0, 'and is rejected');
await ends(guest, 'it is not trusted', 'a rejected certificate');
ok(await attempt(visitor, user('olga')) !== 'in', 'and does not come in again');
is(await reads(olga), 'Good', 'the same user with another certificate stays');
ok(new RegExp(`^withdrawn +${visitorName} +visitor`, 'm').test(trapeze(['cert', 'list']).stdout), 'it is kept');
is(trapeze(['cert', 'trust', visitorName]).status, 0, 'and can be trusted again');
is(await attempt(visitor, user('olga')), 'in', 'then it comes in');
// files that are no certificates end nothing
writeFileSync(join(state, 'opcua', 'trusted', 'half.der'), readFileSync(good.der).subarray(0, 400));
const cut = Buffer.from(readFileSync(good.der)); cut[400] ^= 0xff; cut.fill(0, 420, 520);
writeFileSync(join(state, 'opcua', 'trusted', 'broken.der'), cut);
writeFileSync(join(state, 'opcua', 'trusted', 'abc.der.1.new'), readFileSync(good.der).subarray(0, 400));
execFileSync('mkfifo', [join(state, 'opcua', 'trusted', 'pipe'), join(state, 'opcua', 'rejected', 'pipe')]);
is(await attempt(good, user('ella')), 'in', 'beside broken files, leftovers and pipes the good one comes in');
ok(/left out, not readable or no certificate in DER form: .*trusted\/: (?=.*half\.der)(?=.*broken\.der)(?=.*pipe)/.test(rig.said()) && !/1\.new/.test(rig.said()), 'and they are named', rig.said());
is(trapeze(['cert', 'list']).status, 0, 'cert list does not wait for the pipe');

// ---- refused for all -----------------------------------------------------------------
const sub = await ella.session.createSubscription2({ requestedPublishingInterval: 100, requestedLifetimeCount: 1000, requestedMaxKeepAliveCount: 20, publishingEnabled: true });
const second = await enter(good, user('ella'));
const ask = async (c, request) => { try { const r = await c.session.performMessageTransaction(request); return (r.results?.[0]?.statusCode ?? r.results?.[0] ?? r.responseHeader.serviceResult).name; } catch (e) { return e.message; } };
ok(/Bad/.test(await ask(second, new opcua.TransferSubscriptionsRequest({ subscriptionIds: [sub.subscriptionId], sendInitialValues: true }))), 'a subscription cannot be taken over');
const link = { sourceNodeId: id('rig'), referenceTypeId: opcua.resolveNodeId('Organizes'), isForward: true, targetNodeId: opcua.makeExpandedNodeId(85) };
for (const [what, request] of Object.entries({
    AddNodes: () => new opcua.AddNodesRequest({ nodesToAdd: [{ parentNodeId: opcua.makeExpandedNodeId(85), referenceTypeId: opcua.resolveNodeId('Organizes'), browseName: 'intruder', nodeClass: opcua.NodeClass.Object, typeDefinition: opcua.makeExpandedNodeId(58) }] }),
    DeleteNodes: () => new opcua.DeleteNodesRequest({ nodesToDelete: [{ nodeId: id('rig.step'), deleteTargetReferences: true }] }),
    AddReferences: () => new opcua.AddReferencesRequest({ referencesToAdd: [{ ...link, targetNodeClass: opcua.NodeClass.Object }] }),
    DeleteReferences: () => new opcua.DeleteReferencesRequest({ referencesToDelete: [{ ...link, deleteBidirectional: true }] }),
    HistoryUpdate: () => new opcua.HistoryUpdateRequest({ historyUpdateDetails: [new opcua.DeleteRawModifiedDetails({ nodeId: id('rig.step'), isDeleteModified: false, startTime: new Date(0), endTime: new Date() })] }),
}))
    for (const [who, c] of Object.entries({ olga, ella: second })) {
        const got = await ask(c, request());
        ok(/^Bad|BadServiceUnsupported/.test(got), `${what} is refused for ${who}`, got);
        console.log(`# ${what}: ${got}`);
    }
await rig.stop();

// ---- anonymous stays out, also where the rig is open by mistake ----------------------
is(spawnSync(program, ['run', rig.file, '--allow-degraded', '--insecure', '--duration', '1s'], { encoding: 'utf8', env: { ...process.env } }).status, 0, '--insecure on the loopback runs');
writeFileSync(join(dir, 'open.yaml'), readFileSync(rig.file, 'utf8').replace('opcua: {', 'opcua: {address: 0.0.0.0, ').replace(/^rig: .*/m, 'rig: test-open'));
const open = spawnSync(program, ['run', join(dir, 'open.yaml'), '--allow-degraded', '--insecure', '--duration', '1s'], { encoding: 'utf8' });
ok(/--insecure opens the loopback only, not 0\.0\.0\.0/.test(open.stderr), 'off the loopback --insecure is refused', open.stderr);
done();
