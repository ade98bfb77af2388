import { describe, expect, it } from 'vitest';
import {
  decodeService,
  decodeServingStatus,
  encodeService,
  encodeServingList,
  encodeServingStatus,
  frameMessage,
  unframeMessage,
} from '../../src/protocol/grpc-health.js';
import { readFields } from '../../src/protocol/protobuf.js';

const bytes = (...values: number[]) => Uint8Array.from(values);

describe('E6: the messages of grpc.health.v1', () => {
  it('are the bytes the specification of Protocol Buffers prescribes', () => {
    expect([...encodeServingStatus(1)]).toEqual([0x08, 0x01]);
    expect([...encodeServingStatus(0)]).toEqual([]);
    expect([...encodeService('ab')]).toEqual([0x0a, 2, 0x61, 0x62]);
    const list = encodeServingList([['a', 2]]);
    expect([...list]).toEqual([0x0a, 7, 0x0a, 1, 0x61, 0x12, 2, 0x08, 2]);
  });

  it('are read back, whatever the name', () => {
    for (const service of ['', 'readiness', 'größe', 'x'.repeat(300)])
      expect(decodeService(encodeService(service))).toBe(service);
    for (const status of [0, 1, 2, 3] as const)
      expect(decodeServingStatus(encodeServingStatus(status))).toBe(status);
  });

  it('ignores fields it does not know and takes the last of two', () => {
    const message = bytes(
      0x0a,
      1,
      0x61,
      0x10,
      0x96,
      1,
      0x1d,
      1,
      2,
      3,
      4,
      0x19,
      1,
      2,
      3,
      4,
      5,
      6,
      7,
      8,
    );
    expect(decodeService(message)).toBe('a');
    expect(decodeService(bytes(0x0a, 1, 0x61, 0x0a, 1, 0x62))).toBe('b');
  });

  it.each([
    ['a text that is cut off', bytes(0x0a, 5, 0x61)],
    ['a number that is cut off', bytes(0x08, 0x80)],
    ['a number that never ends', bytes(0x08, ...Array.from({ length: 11 }, () => 0x80))],
    ['field 0', bytes(0x02, 0)],
    ['a group, which proto3 has not', bytes(0x0b)],
    ['a number where a text belongs', bytes(0x08, 1)],
    ['a text that is no UTF-8', bytes(0x0a, 1, 0xff)],
  ])('refuses %s', (_what, message) => {
    expect(() => decodeService(message)).toThrow(/^not a |not valid for encoding utf-8/);
  });

  it('reads numbers up to ten bytes', () => {
    expect(readFields(bytes(0x08, 0x96, 0x01))).toEqual([
      { number: 1, kind: 'varint', value: 150 },
    ]);
    expect(readFields(bytes(0x08, ...Array.from({ length: 9 }, () => 0xff), 1))).toHaveLength(1);
  });

  it('frames a message and refuses a frame that is compressed, cut or followed by another', () => {
    const frame = frameMessage(bytes(1, 2, 3));
    expect([...frame]).toEqual([0, 0, 0, 0, 3, 1, 2, 3]);
    expect([...unframeMessage(frame)]).toEqual([1, 2, 3]);
    const wrong = [frame.with(0, 1), frame.subarray(0, 7), bytes(...frame, 0), bytes()];
    for (const broken of wrong) expect(() => unframeMessage(broken)).toThrow('gRPC message');
  });
});
