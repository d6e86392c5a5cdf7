/** What a server writes to stdout, in whatever form it comes. */

import { Client } from '@modelcontextprotocol/client';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LineReader } from '../../src/node/lines.ts';
import { readMessages } from '../../src/node/stdio-messages.ts';
import { StdioTransport } from '../../src/node/stdio-transport.ts';
import { connect, failure, fixture, members } from './support.ts';

const TEXT = 'ä€🦊 \u2028 "quoted"\r\n tab\t';

describe('A19 noise on stdout', () => {
  it('is skipped and told once as an error, and the session goes on', async () => {
    const { client, errors, call } = await connect('server.mjs', ['--banner']);
    expect(await call('echo', { text: TEXT })).toBe(TEXT);
    expect(await call('echo', { text: 'again' })).toBe('again');
    expect(errors).toHaveLength(1);
    expect(errors[0]).toMatchObject({ code: 'bad_response' });
    expect(errors[0]?.message).toMatch(/stdout.*"Starting up….*stderr/);
    await client.close();
  });

  it('is given to onNoise line by line, and a hook that throws harms nothing', async () => {
    const lines: string[] = [];
    const transport = new StdioTransport({
      command: process.execPath,
      args: [fixture('server.mjs'), '--banner'],
      env: {},
      secrets: [],
      maxMessageBytes: 1_000,
      onNoise: (line) => {
        lines.push(line);
        throw new Error('a bad hook');
      },
    });
    const client = new Client({ name: 'test', version: '1' });
    await client.connect(transport);
    await client.ping();
    expect(lines.slice(0, 4)).toEqual(['Starting up…', '{', '  "port": 1', '}']);
    expect(lines.filter((line) => line.startsWith('DEBUG'))).toHaveLength(2);
    await client.close();
  });

  it('is not read as a message, though it may quote one', () => {
    expect(readMessages('DEBUG got {"jsonrpc":"2.0","id":1,"result":{}}')).toBeUndefined();
    for (const line of ['{', '{}', '[]', '42', 'null', '"x"', '[{}]', '{"jsonrpc":"2.0"}', '{"jsonrpc":"2.0","id":1}']) {
      expect(readMessages(line)).toBeUndefined();
    }
  });

  it('of colour and cursor codes leaves the message whole', async () => {
    const { client, errors, call } = await connect('server.mjs', ['--color']);
    expect(await call('echo', { text: '\u001b[1mbold\u001b[0m' })).toBe('\u001b[1mbold\u001b[0m');
    expect(errors).toEqual([]);
    await client.close();
  });
});

describe('framing', () => {
  it.each(['--drip', '--crlf'])('reads replies with %s', async (flag) => {
    const { client, call } = await connect('server.mjs', [flag]);
    expect(await call('echo', { text: TEXT })).toBe(TEXT);
    await client.close();
  });

  it('reads a batch, as 2025-03-26 allows it', async () => {
    const { client, call } = await connect('server.mjs');
    expect(await call('batch')).toBe('batched');
    await client.close();
  });

  it('reads a last reply that has no line break', async () => {
    const { call } = await connect('server.mjs');
    expect(await call('last')).toBe('last words');
  });

  it('carries large messages both ways', async () => {
    const { client, call } = await connect('server.mjs');
    const text = 'x'.repeat(3_000_000);
    expect(await call('echo', { text })).toBe(text);
    await client.close();
  });

  it('gives the same lines however the bytes are cut', () => {
    const text = fc.string({ unit: 'grapheme' }).map((line) => line.replaceAll('\n', ''));
    fc.assert(
      fc.property(fc.array(text), fc.array(fc.nat(20)), (lines, cuts) => {
        const bytes = Buffer.from(lines.map((line) => `${line}\n`).join(''));
        const read: string[] = [];
        const reader = new LineReader({ max: 1_000_000, onLine: (line) => void read.push(line) });
        let at = 0;
        for (const cut of cuts) {
          reader.push(bytes.subarray(at, at + cut));
          at = Math.min(bytes.length, at + cut);
        }
        reader.push(bytes.subarray(at));
        expect(read).toEqual(lines.filter((line) => line !== ''));
      }),
    );
  });

  it('cuts a long line where it may, and says so where it may not', () => {
    const lines: string[] = [];
    const cutting = new LineReader({ max: 4, onLine: (line) => void lines.push(line) });
    cutting.push(Buffer.from('abcdefghij\nk'));
    cutting.flush();
    expect(lines).toEqual(['abcd', 'efgh', 'ij', 'k']);
    let tooLong = 0;
    const strict = new LineReader({ max: 4, onLine: (line) => void lines.push(line), onTooLong: () => void tooLong++ });
    strict.push(Buffer.from('abcd\n'));
    expect(tooLong).toBe(0);
    strict.push(Buffer.from('ab'));
    strict.push(Buffer.from('cde'));
    expect(tooLong).toBe(1);
  });
});

describe('A21 a message without an end', () => {
  it('is a typed error, ends the child, and costs no more than the cap', async () => {
    const { client, transport, closes, call } = await connect('server.mjs', [], { maxMessageBytes: 1024 * 1024 });
    const { pid } = transport;
    const before = process.memoryUsage().arrayBuffers;
    let peak = 0;
    const sampling = setInterval(() => {
      peak = Math.max(peak, process.memoryUsage().arrayBuffers - before);
    }, 5);
    const others = [call('hang'), call('hang')];
    const errors = await Promise.all([call('flood'), ...others].map(failure));
    clearInterval(sampling);
    expect(errors.map(({ code }) => code)).toEqual(['CONNECTION_CLOSED', 'CONNECTION_CLOSED', 'CONNECTION_CLOSED']);
    expect(transport.failure).toMatchObject({ code: 'too_large', data: { maxMessageBytes: 1024 * 1024 } });
    expect(transport.failure?.message).toContain('`maxMessageBytes`');
    expect(peak).toBeLessThan(32 * 1024 * 1024);
    expect(members(pid)).toEqual([]);
    expect(closes()).toBe(1);
    await client.close();
  });

  it('is read in linear time when it comes one byte at a time', () => {
    const time = (bytes: number): number => {
      const reader = new LineReader({ max: bytes + 1, onLine: () => {} });
      const byte = Buffer.from('x');
      const start = performance.now();
      for (let index = 0; index < bytes; index++) reader.push(byte);
      reader.flush();
      return performance.now() - start;
    };
    time(25_000);
    // Quadratic reading would copy 45 GB.
    expect(time(300_000)).toBeLessThan(1_500);
  });
});
