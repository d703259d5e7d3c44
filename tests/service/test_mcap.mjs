#!/usr/bin/env node
// Files of our MCAP writer, read by @mcap/core with its own checks of sums and indices.
import { execFileSync } from 'node:child_process';
import { open, readFile } from 'node:fs/promises';
import { require } from './packages.mjs';
const { McapIndexedReader, McapStreamReader } = require('@mcap/core');
const { decompress } = require('fzstd');

const out = process.env.TEST_OUT ?? 'build/test';
const file = `${process.env.TEST_DIR ?? '/tmp'}/read.mcap`;
execFileSync(`${out}/tests/unit/test_mcap`, [file]);

let n = 0, bad = 0;
const ok = (good, what) => {
    n++;
    if (!good) bad = 1;
    console.log(`${good ? 'ok' : 'not ok'} ${n} - ${what}`);
};
const decompressHandlers = { zstd: (buffer, size) => decompress(buffer, new Uint8Array(Number(size))) };

const handle = await open(file);
const readable = {
    size: async () => BigInt((await handle.stat()).size),
    read: async (offset, length) => {
        const buffer = new Uint8Array(Number(length));
        await handle.read(buffer, 0, Number(length), Number(offset));
        return buffer;
    },
};
const reader = await McapIndexedReader.Initialize({ readable, decompressHandlers });
ok(reader.header.profile === 'ros2', 'the profile');
ok(reader.statistics.messageCount === 5005n, 'the statistics count the messages');
ok([...reader.channelsById.values()].map((c) => c.topic).join() === '/sensors,/events', 'the channels');
ok(reader.channelsById.get(1).metadata.get('speed') === 'rad/s', 'their metadata');
ok([...reader.schemasById.values()].every((s) => s.encoding === 'ros2msg'), 'the schemas');
let count = 0, right = true;
for await (const m of reader.readMessages({ topics: ['/sensors'] })) {
    const view = new DataView(m.data.buffer, m.data.byteOffset);
    right &&= view.getUint32(0, false) === 0x00010000 && view.getFloat64(4, true) === 0.001 * count &&
        view.getFloat64(12, true) === -2 * count && m.sequence === count &&
        m.logTime === 1790000000000000000n + 1000000n * BigInt(count);
    count++;
}
ok(count === 5000 && right, 'all messages by the index, in order, with their values');
count = 0;
const from = 1790000000000000000n + 2000000000n;
for await (const m of reader.readMessages({ startTime: from, endTime: from + 9999999n })) count += m.channelId === 1;
ok(count === 10, 'a piece of time is found');
let attached;
for await (const a of reader.readAttachments()) attached = new TextDecoder().decode(a.data);
ok(attached === 'bodies:\n', 'the attachment');
let rig;
for await (const m of reader.readMetadata()) rig = m.metadata.get('rig');
ok(rig === 'bench', 'the metadata');
await handle.close();

// Cut off anywhere, what stands before the cut is read without the summary.
const bytes = new Uint8Array(await readFile(file));
const read = (length) => {
    const stream = new McapStreamReader({ decompressHandlers });
    let messages = 0;
    stream.append(bytes.subarray(0, length));
    for (let r = stream.nextRecord(); r; r = stream.nextRecord()) messages += r.type === 'Message';
    return messages;
};
ok(read(bytes.length) === 5005, 'the whole as a stream');
let before = 0, grows = true;
for (let length = 8; length < bytes.length; length += 9973) {
    const messages = read(length);
    grows &&= messages >= before;
    before = messages;
}
ok(grows && before > 0 && before <= 5005, 'a file cut off anywhere gives what stands before the cut');
console.log(`1..${n}`);
process.exit(bad);
