import { describe, expect, it } from 'vitest';
import { createLoanDesk } from '../../src/core/loan-desk.js';

interface Request {
  resolve(connection: string): void;
  reject(error: unknown): void;
}

function setup() {
  const requests: Request[] = [];
  const returned: string[] = [];
  const desk = createLoanDesk<string>({
    acquire: () => new Promise((resolve, reject) => requests.push({ resolve, reject })),
    giveBack: (connection) => returned.push(connection),
  });
  return { desk, requests, returned };
}

const settle = () => new Promise<void>((resolve) => setImmediate(resolve));

describe('createLoanDesk', () => {
  it('asks once for each loan and hands the connections out in order', async () => {
    const { desk, requests, returned } = setup();
    const [first, second] = [desk.borrow(), desk.borrow()];
    expect(requests).toHaveLength(2);
    requests[1]?.resolve('a');
    await settle();
    requests[0]?.resolve('b');
    expect(await Promise.all([first.connection, second.connection])).toEqual(['a', 'b']);
    expect(returned).toEqual([]);
  });

  it('C7: a cancelled loan leaves its request to the next one instead of adding another', async () => {
    const { desk, requests } = setup();
    for (let run = 0; run < 5; run += 1) {
      const loan = desk.borrow();
      loan.cancel(new Error('aborted'));
      await expect(loan.connection).rejects.toThrow('aborted');
    }
    expect(requests).toHaveLength(1);
    const next = desk.borrow();
    requests[0]?.resolve('a');
    expect(await next.connection).toBe('a');
    expect(requests).toHaveLength(1);
  });

  it('C2: what comes when nobody wants it any more goes straight back', async () => {
    const { desk, requests, returned } = setup();
    const loan = desk.borrow();
    loan.cancel(new Error('aborted'));
    await expect(loan.connection).rejects.toThrow('aborted');
    requests[0]?.resolve('late');
    await settle();
    expect(returned).toEqual(['late']);
  });

  it('a connection that has come already is not lost to a cancel in the same turn', async () => {
    const { desk, requests, returned } = setup();
    const loan = desk.borrow();
    requests[0]?.resolve('a');
    await Promise.resolve();
    loan.cancel(new Error('aborted'));
    const came = await loan.connection.then(
      () => 1,
      () => 0,
    );
    await settle();
    expect(came + returned.length).toBe(1);
  });

  it('rejects with what the pool says', async () => {
    const { desk, requests } = setup();
    const loan = desk.borrow();
    requests[0]?.reject(new Error('no such user'));
    await expect(loan.connection).rejects.toThrow('no such user');
  });

  it('the failure of an earlier request is no news: the loan asks for itself', async () => {
    const { desk, requests } = setup();
    const old = desk.borrow();
    old.cancel(new Error('aborted'));
    await expect(old.connection).rejects.toThrow('aborted');
    const loan = desk.borrow();
    requests[0]?.reject(new Error('gave up after a minute'));
    await settle();
    expect(requests).toHaveLength(2);
    requests[1]?.resolve('a');
    expect(await loan.connection).toBe('a');
  });

  it('a pool that throws at once rejects the loan', async () => {
    const desk = createLoanDesk<string>({
      acquire: () => {
        throw new Error('closed');
      },
      giveBack: () => {},
    });
    await expect(desk.borrow().connection).rejects.toThrow('closed');
  });

  it('close cancels present and later loans, and gives back what still comes', async () => {
    const { desk, requests, returned } = setup();
    const loan = desk.borrow();
    desk.close();
    await expect(loan.connection).rejects.toMatchObject({ code: 'HALE_DISPOSED' });
    await expect(desk.borrow().connection).rejects.toMatchObject({ code: 'HALE_DISPOSED' });
    requests[0]?.resolve('late');
    await settle();
    expect(returned).toEqual(['late']);
    expect(requests).toHaveLength(1);
  });
});
