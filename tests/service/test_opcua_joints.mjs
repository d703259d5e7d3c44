#!/usr/bin/env node
// Joints locked and released over OPC UA while a rig runs: by request, and by a switch of the model.
// RUN_ALONE NO_SANITIZER TIME_LIMIT=60
import { Client, Rig, done, is, ok, text, until } from './opcua_rig.mjs';

// A sled that is pulled along by a spring, and a brake that can be locked; far out a catch locks.
const model = `model: brake
bodies:
  sled: {mass: 1, inertia: [1, 1, 1]}
joints:
  slide: {type: prismatic, between: [ground, sled], at: [0, 0, 0], axis: [1, 0, 0]}
  brake: {type: fixed, between: [ground, sled], at: [0, 0, 0], switchable: true}
  catch: {type: fixed, between: [ground, sled], at: [0, 0, 0], switchable: true, released: true}
forces:
  pull: {type: spring-damper, between: [ground, sled], from: [2, 0, 0], to: [0, 0, 0], stiffness: 1 N/m, length: 1 m}
sensors:
  way: {type: joint-position, joint: slide}
switches:
  far: {sensor: way, crosses: 0.5 m, going: up, lock: [catch]}
`;
const rig = await new Rig('test-opcua-joints', { model }).up();
const a = await Client.to(rig.url);
await until(async () => (await a.value('rig.state-name')) === 'running');

is(await a.value('joint:brake.released'), false, 'the brake holds');
ok(Math.abs(await a.value('sensor:way.value')) < 1e-12, 'and the sled stands');
is((await a.call('release-joint', text('slide'))).status, 'BadNoMatch', 'a joint that cannot be switched is refused');
is((await a.call('release-joint', text('nobody'))).status, 'BadNoMatch', 'and one that is not there');
is((await a.call('release-joint', text('brake'))).status, 'Good', 'the brake is released');
ok(await until(async () => (await a.value('sensor:way.value')) > 0.1, 3000) < 3000, 'the sled moves');
is((await a.call('lock-joint', text('brake'))).status, 'Good', 'the brake is locked where the sled is');
const held = await a.value('sensor:way.value'), tick = await a.value('rig.tick');
await until(async () => (await a.value('rig.tick')) > tick + 100);
ok(held > 0.1 && Math.abs((await a.value('sensor:way.value')) - held) < 1e-9, 'it stands there', held);
await a.call('release-joint', text('brake'));
ok(await until(async () => !(await a.value('joint:catch.released')), 5000) < 5000, 'far out the catch locks by itself');
ok(Math.abs((await a.value('sensor:way.value')) - 0.5) < 1e-6, 'where it was to', await a.value('sensor:way.value'));
await a.call('pause');
is((await a.call('reset')).status, 'Good', 'reset');
ok(await until(async () => await a.value('joint:catch.released') && !(await a.value('joint:brake.released')), 1000) < 1000, 'both are as the model says');
await a.close();
await rig.stop();
done();
