// A bench's client in node-opcua, small enough to copy: takes the command authority, writes a
// sine to one actuator, prints sensors and the loop time.
//   npm install node-opcua-client@2.182.2
//   node example_client.mjs opc.tcp://127.0.0.1:4840 ACTUATOR [AMPLITUDE [SECONDS]]
import opcua from 'node-opcua-client';
const { AttributeIds, DataType, OPCUAClient } = opcua;
const [url, actuator, amplitude = 1, seconds = 5] = process.argv.slice(2);
const check = (status, what) => { if (status.isBad()) throw new Error(`${what}: ${status.name}`); };

const client = OPCUAClient.create({ endpointMustExist: false, connectionStrategy: { maxRetry: 1 } });
await client.connect(url);
const session = await client.createSession();
const ns = (await session.readNamespaceArray()).indexOf('urn:trapeze:opcua:v1');
const id = name => `ns=${ns};s=${name}`;
const read = async name => {
    const v = await session.read({ nodeId: id(name), attributeId: AttributeIds.Value });
    check(v.statusCode, name);
    return v.value.value;
};
try {
    const granted = await session.call({ objectId: id('rig'), methodId: id('rig.acquire-authority'),
        inputArguments: [{ dataType: DataType.String, value: 'stream' }, { dataType: DataType.Boolean, value: false }] });
    check(granted.statusCode, 'AcquireAuthority');
    for (let begin = Date.now(), t = 0, n = 0; t < seconds; t = (Date.now() - begin) / 1000, n++) {
        const value = amplitude * Math.sin(Math.PI * t);
        check(await session.write({ nodeId: id(`actuator:${actuator}.command`), attributeId: AttributeIds.Value,
            value: { value: { dataType: DataType.Double, value }, sourceTimestamp: new Date() } }), 'write');
        if (n % 50 === 0) console.log(`t ${(await read('rig.time')).toFixed(3)} s`, [...await read('sensors.values')].slice(0, 6).map(v => v.toFixed(4)).join(' '));
        await new Promise(done => setTimeout(done, 10));
    }
    for (const which of ['loop', 'client']) // in the server; from this machine's clock, which nobody compared with the rig's
        console.log(`${which} time: last ${(await read(`actuator:${actuator}.${which}-last`) * 1e3).toFixed(2)} ms, longest ${(await read(`actuator:${actuator}.${which}-max`) * 1e3).toFixed(2)} ms`);
} catch (e) {
    console.error(e.message);
    process.exitCode = 1;
}
await session.close(); // the authority is free at once
await client.disconnect();
