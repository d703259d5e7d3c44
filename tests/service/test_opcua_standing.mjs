#!/usr/bin/env node
// What the server says of itself: who it is, what it can, its level of service, who tells
// events, its namespace; and that logins are audited.
// RUN_ALONE
import { Client, Rig, done, id, is, ok, opcua, sleep, until } from './opcua_rig.mjs';
const { AttributeIds, BrowseDirection, TimestampsToReturn, constructEventFilter } = opcua;

const rig = await new Rig('test-opcua-standing').up(), other = await new Rig('test-opcua-standing-2').up();
const a = await Client.to(rig.url), b = await Client.to(other.url);
const value = async (n, c = a) => (await c.read([n]))[0].value?.value;
const refs = async (node, type, direction = BrowseDirection.Forward) =>
    (await a.session.browse({ nodeId: node, referenceTypeId: type, includeSubtypes: true, browseDirection: direction, resultMask: 63 })).references;

// ---- who it is -----------------------------------------------------------------------
const uri = (await value('ns=0;i=2254'))[0];
ok(uri.includes('test-opcua-standing') && uri !== (await value('ns=0;i=2254', b))[0], 'each rig has an application URI of its own', uri);
is((await a.client.getEndpoints())[0].server.applicationUri, uri, 'which its endpoints say too');
await b.close();
await other.stop();
const build = await value('ns=0;i=2260');
ok(build.manufacturerName && /^\d+\.\d+/.test(build.softwareVersion) && build.buildNumber && build.buildDate.getFullYear() > 2020, 'BuildInfo is filled', build);
const profiles = await value('ns=0;i=2269');
ok(profiles.length > 2 && !profiles.some(p => /NodeManagement|StandardUA/.test(p)), 'no profile is claimed that is not met', profiles);
for (const [what, node] of [['MaxSessions', 'i=24095'], ['MaxSubscriptions', 'i=24096'], ['MaxMonitoredItems', 'i=24097'], ['MaxArrayLength', 'i=11702']])
    ok(await value(`ns=0;${node}`) > 0, `${what} is told`);
const spaces = await refs('ns=0;i=11715', 'ns=0;i=47');
const ours = spaces.find(r => r.browseName.name === 'urn:trapeze:opcua:v1');
ok(ours, 'our namespace has metadata');
const props = Object.fromEntries(await Promise.all((await refs(ours.nodeId, 'ns=0;i=46')).map(async r => [r.browseName.name, await value(r.nodeId.toString())])));
is(props.NamespaceUri, 'urn:trapeze:opcua:v1', 'with its URI');
ok(props.NamespaceVersion && props.NamespacePublicationDate && props.IsNamespaceSubset === false, 'version and date', props);

// ---- types ---------------------------------------------------------------------------
is((await refs('ns=0;i=2253', 'ns=0;i=48')).map(r => r.nodeId), id('rig'), 'the Server has the rig as notifier');
is((await refs(id('type:rig'), 'ns=0;i=41')).length, 2, 'the type of rigs says which events it generates');
is((await refs(id('type:rig-audit'), 'ns=0;i=45', BrowseDirection.Inverse))[0].nodeId, 'ns=0;i=2127', 'audited calls are AuditUpdateMethodEvents');
is((await refs(id('rig.state'), 'ns=0;i=40'))[0].nodeId, 'ns=0;i=2376', 'the state is a MultiStateDiscrete');
const words = await value('rig.state.enum-strings');
is(words[await value('rig.state')].text, await value('rig.state-name'), 'whose number has its word');
for (const n of ['type:rig.state', 'type:sensors.values', 'type:actuator.command'])
    is((await a.read([n]))[0].statusCode.name, 'Good', `${n} can be read`);

// ---- logins are audited --------------------------------------------------------------
is(await value('ns=0;i=2994'), true, 'the server says that it audits');
const sub = await a.session.createSubscription2({ requestedPublishingInterval: 20, requestedLifetimeCount: 1000, requestedMaxKeepAliveCount: 20, publishingEnabled: true });
const seen = [];
(await sub.monitor({ nodeId: 'ns=0;i=2253', attributeId: AttributeIds.EventNotifier },
    { samplingInterval: 0, queueSize: 100, discardOldest: true, filter: constructEventFilter(['EventType', 'Message', 'Status', 'ClientUserId', 'MethodId']) }, TimestampsToReturn.Both))
    .on('changed', v => seen.push({ type: v[0].value.toString(), message: v[1].value.text, status: v[2].value, user: v[3].value, method: v[4].value?.toString() }));
await sleep(100);
const c = await Client.to(rig.url);
ok(await until(() => seen.some(e => e.type === 'ns=0;i=2075' && e.status === true && e.user === 'anonymous'), 3000) < 3000, 'a login is told', seen);
await Client.to(rig.url, { connectionStrategy: { maxRetry: 0 } }, { type: opcua.UserTokenType.UserName, userName: 'mallory', password: 'guess' }).catch(() => { });
await c.call('pause');
ok(await until(() => seen.some(e => e.type === id('type:rig-audit') && e.method === id('rig.pause') && e.status === true), 3000) < 3000, 'a call is told with its method', seen);
await c.close();

// ---- level of service ----------------------------------------------------------------
is(await value('ns=0;i=2267'), 255, 'the level of service is full');
process.kill(rig.pid('step'), 'SIGSTOP');
ok(await until(async () => (await value('ns=0;i=2267')) === 0, 3000, 20) < 3000, 'and 0 while the step does not tick');
process.kill(rig.pid('step'), 'SIGCONT');
ok(await until(async () => (await value('ns=0;i=2267')) === 255, 3000, 20) < 3000, 'and full again');
await a.close();
await rig.stop();
done();
