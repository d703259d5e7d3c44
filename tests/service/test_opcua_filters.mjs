#!/usr/bin/env node
// Event filters: where clauses that name fields an event has not, compare with nothing, with
// lists, with other types, in any shape. The server refuses them or finds that they do not
// hold, and goes on; filters that make sense still filter.
// RUN_ALONE TIME_LIMIT=240
import { Client, Rig, bool, done, id, is, ok, opcua, sleep, text, until } from './opcua_rig.mjs';
const { AttributeIds, ContentFilter, ContentFilterElement, DataType, ElementOperand, EventFilter, FilterOperator, LiteralOperand, SimpleAttributeOperand, TimestampsToReturn, Variant, VariantArrayType, coerceQualifiedName, resolveNodeId } = opcua;

const rig = await new Rig('test-opcua-filters').up();
const a = await Client.to(rig.url), b = await Client.to(rig.url);
const server = rig.pid('trapeze-opcua');
const alive = () => rig.pid('trapeze-opcua') === server;

const field = (name, type = 'ns=0;i=2041') => new SimpleAttributeOperand({ typeDefinitionId: resolveNodeId(type), browsePath: name.split('/').filter(Boolean).map(coerceQualifiedName), attributeId: AttributeIds.Value });
const literal = v => new LiteralOperand({ value: new Variant(v) });
const severity = v => literal({ dataType: DataType.UInt16, value: v });
const element = index => new ElementOperand({ index });
const clause = (...elements) => new EventFilter({
    selectClauses: [field('Message'), field('Severity')],
    whereClause: new ContentFilter({ elements: elements.map(([filterOperator, ...filterOperands]) => new ContentFilterElement({ filterOperator, filterOperands })) }),
});
const O = FilterOperator;

// watch the rig through a filter; returns the status and what came while it paused and went on
async function through(filter, act = async () => { await b.call('pause'); await b.call('start'); }) {
    const sub = await a.session.createSubscription2({ requestedPublishingInterval: 10, requestedLifetimeCount: 1000, requestedMaxKeepAliveCount: 20, publishingEnabled: true });
    const seen = [];
    let status = 'Good';
    try {
        const item = await sub.monitor({ nodeId: id('rig'), attributeId: AttributeIds.EventNotifier }, { samplingInterval: 0, queueSize: 100, discardOldest: true, filter }, TimestampsToReturn.Both);
        status = (item.statusCode ?? { name: 'Good' }).name;
        item.on('changed', v => seen.push(v[1].value));
    } catch (e) { status = e.message; }
    await act();
    await sleep(150);
    await sub.terminate().catch(() => { });
    return { status, seen };
}

const nothing = literal({ dataType: DataType.Null });
const list = (n, type = DataType.UInt16) => literal({ dataType: type, arrayType: VariantArrayType.Array, value: Array(n).fill(200) });
const all = await through(clause());
ok(all.seen.length >= 2, 'without a where clause all events come', all);
ok((await through(clause([O.GreaterThanOrEqual, field('Severity'), severity(200)]))).seen.every(s => s >= 200), 'a severity filters');
is((await through(clause([O.GreaterThan, field('Severity'), severity(1000)]))).seen.length, 0, 'nothing is above 1000');
for (const [what, ...elements] of [
    ['IsNull of a field the event has not', [O.IsNull, field('AckedState', 'ns=0;i=2782')]],
    ['IsNull of a field nobody has', [O.IsNull, field('AckedState')]],
    ['GreaterThan of a field nobody has', [O.GreaterThan, field('Nothing'), severity(5)]],
    ['Equals with nothing', [O.Equals, field('Severity'), nothing]],
    ['nothing Equals', [O.Equals, nothing, field('Severity')]],
    ['nothing Equals nothing', [O.Equals, nothing, nothing]],
    ['Equals with a list', [O.Equals, field('Severity'), list(3)]],
    ['Equals with an empty list', [O.Equals, field('Severity'), list(0)]],
    ['an empty list Equals an empty list', [O.Equals, list(0), list(0)]],
    ['LessThan of texts', [O.LessThan, field('Message'), literal({ dataType: DataType.String, value: 'x' })]],
    ['InList of nothing', [O.InList, nothing, nothing]],
    ['InList with a field nobody has', [O.InList, field('Nothing', 'ns=0;i=2052'), severity(1), severity(2)]],
    ['InList of lists', [O.InList, list(0), list(0), list(2)]],
    ['Between nothing', [O.Between, field('Severity'), nothing, severity(1)]],
    ['Between a list', [O.Between, field('Severity'), list(0, DataType.Double), severity(1)]],
    ['BitwiseAnd with nothing', [O.BitwiseAnd, field('Severity'), nothing]],
    ['BitwiseOr with an empty list', [O.BitwiseOr, list(0), field('Severity')]],
    ['Not of what failed', [O.Not, element(1)], [O.IsNull, field('ActionTimeStamp', 'ns=0;i=2052')]],
    ['And of what failed', [O.And, element(1), element(2)], [O.Equals, field('ActionTimeStamp', 'ns=0;i=2052'), nothing], [O.OfType, literal({ dataType: DataType.NodeId, value: resolveNodeId('ns=0;i=2041') })]],
    ['an element that is itself', [O.And, element(0), element(0)]],
    ['an element that is not there', [O.Not, element(7)]],
    ['OfType of no type', [O.OfType, nothing]],
    ['Cast', [O.Cast, field('Severity'), literal({ dataType: DataType.NodeId, value: resolveNodeId('ns=0;i=12') })]],
    ['Like', [O.Like, field('Message'), literal({ dataType: DataType.String, value: '%' })]],
]) {
    const r = await through(clause(...elements));
    ok(alive(), `${what}: the server goes on (${r.status}, ${r.seen.length} events)`);
    if (!alive()) break;
}

// ---- at random -----------------------------------------------------------------------
let state = 12345;
const random = n => { state = (Math.imul(state, 1103515245) + 12345) >>> 0; return Math.floor(state / 2 ** 32 * n); };
const types = [DataType.Boolean, DataType.SByte, DataType.Int32, DataType.UInt16, DataType.Double, DataType.String, DataType.StatusCode, DataType.ByteString, DataType.Null];
const value = t => {
    switch (t) {
        case DataType.Boolean: return true;
        case DataType.String: return ['1', '', 'true', null][random(4)];
        case DataType.StatusCode: return opcua.StatusCodes.Good;
        case DataType.ByteString: return Buffer.from('ab');
        case DataType.Double: return [1.5, NaN, -1e300][random(3)];
        default: return random(100);
    }
};
const fields = ['Severity', 'Message', 'EventId', 'Time', 'SourceNode', 'EventType', '', 'ActionTimeStamp', 'ClientUserId', '2:StepNumber', 'LocalTime'];
const bases = ['ns=0;i=2041', 'ns=0;i=2052', 'ns=2;s=type:rig-event', 'ns=2;s=type:rig-audit', 'ns=0;i=2782'];
function operand(i, n) {
    const kind = random(10), t = types[random(types.length)];
    if (kind < 3 && i + 1 < n) return element(i + 1 + random(n - i - 1));
    if (kind < 6) return field(fields[random(fields.length)], bases[random(bases.length)]);
    if (kind < 8 || t === DataType.Null) return literal(t === DataType.Null ? { dataType: t } : { dataType: t, value: value(t) });
    return literal({ dataType: t, arrayType: VariantArrayType.Array, value: Array.from({ length: random(3) }, () => value(t)) });
}
const arity = { [O.IsNull]: 1, [O.Not]: 1, [O.OfType]: 1, [O.Between]: 3 };
let taken = 0, tried = 0;
// nobody fetches what passes: it is in the queues
const sub = await a.session.createSubscription({ requestedPublishingInterval: 20, requestedLifetimeCount: 60000, requestedMaxKeepAliveCount: 20, publishingEnabled: true });
for (let round = 0; round < 40 && alive(); round++) {
    const items = [];
    for (let k = 0; k < 25; k++) {
        const n = 1 + random(4);
        const elements = Array.from({ length: n }, (_, i) => {
            const op = random(18);
            return [op, ...Array.from({ length: arity[op] ?? (op === O.InList ? 2 + random(3) : 2) }, () => operand(i, n))];
        });
        tried++;
        const r = await a.session.createMonitoredItems({
            subscriptionId: sub.subscriptionId, timestampsToReturn: TimestampsToReturn.Both,
            itemsToCreate: [{ itemToMonitor: { nodeId: id('rig'), attributeId: AttributeIds.EventNotifier }, monitoringMode: 2, requestedParameters: { clientHandle: k, samplingInterval: 0, filter: clause(...elements), queueSize: 10, discardOldest: true } }],
        }).catch(() => null);
        if (r?.results[0].statusCode.isGood()) items.push(r.results[0].monitoredItemId), taken++;
    }
    await b.call('pause').catch(() => { });
    await b.call('start').catch(() => { });
    await sleep(60);
    if (items.length) await a.session.deleteMonitoredItems({ subscriptionId: sub.subscriptionId, monitoredItemIds: items }).catch(() => { });
}
ok(alive() && tried === 1000, `${tried} filters at random, ${taken} of them taken: the server goes on`);
ok(taken > 100, 'enough of them are taken', taken);
is((await b.call('pause')).status, 'Good', 'and answers');
await a.close();
await b.close();
is(await rig.stop(), 0, 'the rig ends well');
done();
