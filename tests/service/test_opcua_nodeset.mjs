#!/usr/bin/env node
// trapeze opcua nodes RIG --xml FILE: NodeSet2 XML, read by a parser of its own, is the
// address space that a client browses in the running rig: every node, attribute, reference.
// NO_SANITIZER TIME_LIMIT=60
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { Client, Rig, dir, done, id, is, ok, opcua, program, slides } from './opcua_rig.mjs';
const require = createRequire(new URL('../package.json', import.meta.url));
const { Xml2Json } = require('node-opcua-xml2json');
const { AttributeIds, BrowseDirection, NodeClass } = opcua;

const rig = await new Rig('test-opcua-nodeset', { model: slides(3), keys: 'description: "slides & a <clock>"' }).up();
const file = join(dir, 'nodes.xml');
const wrote = spawnSync(program, ['opcua', 'nodes', rig.file, '--xml', file], { encoding: 'utf8' });
is(wrote.status, 0, 'the file is written');
is(spawnSync(program, ['opcua', 'nodes', rig.file, '--xml', '/nowhere/x.xml'], { encoding: 'utf8' }).status !== 0, true, 'where it cannot be, it is refused');
const lint = spawnSync('xmllint', ['--noout', '--nonet', file], { encoding: 'utf8' });
if (lint.error) console.log('# xmllint is not here: the parser below must do');
else is(lint.status, 0, 'xmllint finds it well-formed');

// ---- the file ------------------------------------------------------------------------
const nodes = new Map(), uris = [];
const mapped = text => text.replace(/^ns=1;/, 'ns=2;'); // our namespace is 1 in the file, 2 in the server
let node, structures;
const leaf = take => ({ finish() { take(this.text, this.attrs); } });
const body = {
    init(name, attrs) { node = { kind: name.slice(2), attrs: { ...attrs }, references: [], values: {} }; nodes.set(mapped(attrs.NodeId), node); },
    parser: {
        DisplayName: leaf(t => { node.name = t; }), Description: leaf(t => { node.help = t; }),
        References: { parser: { Reference: leaf((t, a) => node.references.push(`${a.IsForward === 'false' ? '<' : '>'} ${mapped(a.ReferenceType)} ${mapped(t)}`)) } },
        Value: { parser: {
            ExtensionObject: { parser: {
                TypeId: { parser: { Identifier: leaf(t => { node.encoding = t; }) } },
                Body: { parser: {
                    Range: { parser: { Low: leaf(t => { node.values.low = Number(t); }), High: leaf(t => { node.values.high = Number(t); }) } },
                    EUInformation: { parser: { UnitId: leaf(t => { node.values.unit = Number(t); }), NamespaceUri: leaf(t => { node.values.uri = t; }) } },
                } },
            } },
            ListOfExtensionObject: { parser: { ExtensionObject: { parser: { Body: { parser: { Argument: { parser: {
                Name: leaf(t => { (node.arguments ??= []).push(t); }) } } } } } } } },
            ListOfString: { parser: { String: leaf(t => { (node.texts ??= []).push(t); }) } },
        } },
    },
};
await new Xml2Json({ parser: { UANodeSet: { parser: {
    NamespaceUris: { parser: { Uri: leaf(t => uris.push(t)) } },
    Models: { parser: { Model: { init(_, a) { structures = a.ModelUri; } } } },
    UAObjectType: { ...body }, UAObject: { ...body }, UAVariable: { ...body }, UAMethod: { ...body },
} } } }).parseString(readFileSync(file, 'utf8'));
is(uris, 'urn:trapeze:opcua:v1', 'it names its namespace');
is(structures, 'urn:trapeze:opcua:v1', 'and its model');
ok(nodes.size > 300, 'it holds the nodes', nodes.size);
const kinds = [...nodes.values()].map(n => n.kind);
ok(kinds.lastIndexOf('ObjectType') < kinds.indexOf('Object'), 'types first');

// ---- the server ----------------------------------------------------------------------
const c = await Client.to(rig.url);
const all = { referenceTypeId: null, includeSubtypes: true, nodeClassMask: 0, resultMask: 63, browseDirection: BrowseDirection.Both };
const live = new Map();
async function walk(from) {
    for (let batch = from; batch.length;) {
        const found = new Set();
        for (let at = 0; at < batch.length; at += 200) {
            const some = batch.slice(at, at + 200);
            const results = await c.session.browse(some.map(nodeId => ({ nodeId, ...all })));
            results.forEach((r, i) => {
                if (some[i].startsWith('ns=2;')) live.set(some[i], r.references.map(x => `${x.isForward ? '>' : '<'} ${String(x.referenceTypeId).replace('ns=0;', '')} ${String(x.nodeId).replace('ns=0;', '')}`));
                for (const x of r.references) {
                    const key = String(x.nodeId);
                    if (key.startsWith('ns=2;') && !live.has(key)) found.add(key);
                }
            });
        }
        batch = [...found];
    }
}
await walk(['ns=0;i=85', 'ns=0;i=58', 'ns=0;i=2041', 'ns=0;i=2052']);
is([...live.keys()].filter(k => !nodes.has(k)), '', 'no node of the server is missing in the file');
is([...nodes.keys()].filter(k => !live.has(k)), '', 'no node of the file is missing in the server');
let wrong = [];
for (const [key, references] of live) {
    const wanted = [...new Set(references)].sort().join('; '), got = [...new Set(nodes.get(key)?.references ?? [])].sort().join('; ');
    if (wanted !== got) wrong.push(`${key}: server ${wanted}; file ${got}`);
}
is(wrong.length, 0, `the references of ${live.size} nodes are the same`);
for (const w of wrong.slice(0, 5)) console.log(`# ${w.slice(0, 800)}`);
wrong = [];
const keys = [...live.keys()], wanted = ['NodeClass', 'BrowseName', 'DisplayName', 'Description', 'DataType', 'ValueRank', 'AccessLevel', 'EventNotifier'];
for (const key of keys) {
    const r = await c.session.read(wanted.map(a => ({ nodeId: key, attributeId: AttributeIds[a] })));
    const v = Object.fromEntries(wanted.map((a, i) => [a, r[i].value?.value])), n = nodes.get(key);
    const variable = n.kind === 'Variable';
    const right = `${NodeClass[v.NodeClass]}` === n.kind && `${v.BrowseName.namespaceIndex ? '1:' : ''}${v.BrowseName.name}` === n.attrs.BrowseName &&
        v.DisplayName.text === n.name && (v.Description?.text ?? '') === (n.help ?? '') &&
        (!variable || (String(v.DataType).replace('ns=0;', '') === n.attrs.DataType && v.ValueRank === Number(n.attrs.ValueRank ?? -1) && v.AccessLevel === Number(n.attrs.AccessLevel ?? 1))) &&
        (n.kind !== 'Object' || (v.EventNotifier ?? 0) === Number(n.attrs.EventNotifier ?? 0));
    if (!right) wrong.push(`${key}: ${JSON.stringify(v)} / ${JSON.stringify(n.attrs)} ${n.name} ${n.help}`);
}
is(wrong.length, 0, 'so are their attributes');
for (const w of wrong.slice(0, 5)) console.log(`# ${w}`);
wrong = [];
const units = keys.filter(k => /\.(engineering-units|range)$/.test(k));
for (const key of units) {
    const v = (await c.read([key]))[0].value.value, got = nodes.get(key).values;
    if (key.endsWith('range') ? v.low !== got.low || v.high !== got.high : v.unitId !== got.unit || v.namespaceUri !== got.uri) wrong.push(key);
}
ok(units.length > 40 && wrong.length === 0, `units and ranges too: ${units.length}`, wrong);
is(nodes.get(id('rig.insert-fault.in')).arguments, 'Kind,Target,Value,FromStep,Steps,Visible,Seed', 'methods have their arguments');
is(nodes.get(id('sensors.names')).texts, await c.value('sensors.names'), 'and what never changes its value');
ok([...nodes.values()].some(n => n.help === 'slides & a <clock>'), 'descriptions keep their signs');
await rig.stop();
done();
