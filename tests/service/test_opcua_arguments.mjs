#!/usr/bin/env node
// Every method of the server with every bad argument at every place: refused, and the
// server goes on. The methods and what they want are read from the server itself.
// RUN_ALONE
import { Client, Rig, done, id, is, ok, opcua } from './opcua_rig.mjs';
const { AttributeIds, BrowseDirection, DataType, NodeClass, VariantArrayType } = opcua;
const { Array: LIST, Scalar: ONE } = VariantArrayType;

const rig = await new Rig('test-opcua-arguments').up();
const a = await Client.to(rig.url);
const server = rig.pid('trapeze-opcua');

// ---- what there is to be called ------------------------------------------------------
async function methods(object) {
    const r = await a.session.browse({ nodeId: object, browseDirection: BrowseDirection.Forward, referenceTypeId: 'ns=0;i=33', includeSubtypes: true, nodeClassMask: NodeClass.Method, resultMask: 63 });
    return r.references.map(x => ({ object, id: x.nodeId.toString(), name: x.browseName.name }));
}
async function wants(method) {
    const r = await a.session.browse({ nodeId: method.id, browseDirection: BrowseDirection.Forward, referenceTypeId: 'ns=0;i=46', includeSubtypes: true, resultMask: 63 });
    const node = r.references.find(x => x.browseName.name === 'InputArguments');
    if (!node) return [];
    const v = await a.session.read({ nodeId: node.nodeId, attributeId: AttributeIds.Value });
    return v.value.value.map(x => ({ type: x.dataType.value, list: x.valueRank === 1 }));
}
const all = [...await methods(id('rig')), ...await methods('ns=0;i=2253')];
for (const name of ['Arm', 'AcquireAuthority', 'WriteCommands', 'InsertFault', 'GetMonitoredItems', 'ResendData'])
    ok(all.some(m => m.name === name), `${name} is among the methods`);

// ---- good and bad values -------------------------------------------------------------
const plain = { [DataType.Boolean]: true, [DataType.Int32]: 1, [DataType.UInt32]: 1, [DataType.UInt64]: [0, 1], [DataType.Double]: 1, [DataType.String]: 'stream' };
const good = w => w.list ? { dataType: w.type, arrayType: LIST, value: [plain[w.type]] } : { dataType: w.type, arrayType: ONE, value: plain[w.type] };
const bad = w => [
    ['nothing', { dataType: DataType.Null }],
    ['a list for one value or one value for a list', good({ type: w.type, list: !w.list })],
    ['an empty list', w.list ? null : { dataType: w.type, arrayType: LIST, value: [] }],
    ['a table', { dataType: w.type, arrayType: VariantArrayType.Matrix, dimensions: [1, 1], value: [plain[w.type]] }],
    ['an empty list of structures', { dataType: DataType.ExtensionObject, arrayType: LIST, value: [] }],
    ['a list of structures that are not there', { dataType: DataType.ExtensionObject, arrayType: LIST, value: [null] }],
    ['bytes', { dataType: DataType.ByteString, value: Buffer.from('stream') }],
    ['no bytes', { dataType: DataType.ByteString, value: null }],
    ['a node', { dataType: DataType.NodeId, value: opcua.resolveNodeId('ns=0;i=85') }],
    ['a list of values of any kind', { dataType: DataType.Variant, arrayType: LIST, value: [] }],
    ...(w.type === DataType.String ? [] : [['a text', { dataType: DataType.String, value: '1' }], ['no text', { dataType: DataType.String, value: null }]]),
    ...(w.type === DataType.Double ? [] : [['a number', { dataType: DataType.Double, value: 1 }]]),
    ...(w.type === DataType.Boolean ? [] : [['a truth', { dataType: DataType.Boolean, value: true }]]),
].filter(([, v]) => v);

// the status of one call; a line that breaks is none
async function call(m, args) {
    try {
        return (await a.session.call({ objectId: m.object, methodId: m.id, inputArguments: args })).statusCode.name;
    } catch (e) {
        return `no answer: ${e.message}`;
    }
}
const refused = /^Bad(InvalidArgument|TypeMismatch|ArgumentsMissing|TooManyArguments|NotExecutable|UserAccessDenied|MethodInvalid)/;
let tried = 0;
for (const m of all) {
    const want = await wants(m), wrong = [];
    const look = async (what, args, status = refused) => {
        const s = await call(m, args);
        tried++;
        if (!status.test(s) || rig.pid('trapeze-opcua') !== server) wrong.push(`${what}: ${s}`);
    };
    for (let i = 0; i < want.length; i++)
        for (const [what, value] of bad(want[i]))
            await look(`argument ${i} is ${what}`, want.map((w, k) => k === i ? value : good(w)));
    await look('all are nothing', want.length ? want.map(() => ({ dataType: DataType.Null })) : [{ dataType: DataType.Null }]);
    await look('one too many', [...want.map(good), { dataType: DataType.Null }]);
    if (want.length) await look('none', []), await look('the last is missing', want.slice(0, -1).map(good));
    ok(wrong.length === 0, `${m.name} (${want.length} arguments) refuses what is wrong`, wrong);
}
ok(tried > 200, 'so many calls', tried);

// ---- what is right but strange -------------------------------------------------------
is((await a.call('acquire-authority', { dataType: DataType.String, value: null }, { dataType: DataType.Boolean, value: false })).status, 'BadNoMatch', 'a text that is not there is no name');
is((await a.call('write-commands', { dataType: DataType.String, arrayType: LIST, value: null }, { dataType: DataType.Double, arrayType: LIST, value: null })).status.replace('BadInvalidArgument', 'BadUserAccessDenied'), 'BadUserAccessDenied', 'lists that are not there');
is((await a.call('pause')).status, 'Good', 'the server answers as before');
is(rig.pid('trapeze-opcua'), server, 'and is the same process');
await a.close();
is(await rig.stop(), 0, 'the rig ends well');
done();
