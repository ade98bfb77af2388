import type { Lease } from 'hale/lease';
import { sqlFence } from 'hale/lease/guards';
import type { Pool } from 'pg';
import { HttpProblem } from '../problem.js';

/** One order, as clients see it. */
export interface Order {
  readonly id: number;
  readonly item: string;
  readonly quantity: number;
  readonly status: 'open' | 'paid';
  readonly createdAt: string;
}

/** The orders in PostgreSQL. */
export interface OrderStore {
  createSchema(): Promise<void>;
  /** The newest hundred, newest first. */
  list(): Promise<Order[]>;
  /** Like `pay`, rejects when another copy has taken over: nothing was written then. */
  create(item: string, quantity: number): Promise<Order>;
  /** Resolves with the paid order, also when it was paid before; undefined when there is none. */
  pay(id: number): Promise<Order | undefined>;
}

const COLUMNS = 'id, item, quantity, status, created_at';

interface Row {
  id: number;
  item: string;
  quantity: number;
  status: 'open' | 'paid';
  created_at: Date;
}

function toOrder({ created_at: createdAt, ...rest }: Row): Order {
  return { ...rest, createdAt: createdAt.toISOString() };
}

function first(rows: Row[]): Order | undefined {
  return rows[0] === undefined ? undefined : toOrder(rows[0]);
}

const FENCE = sqlFence({ dialect: 'postgres' });
const UNFENCED = 'select $1::text, $2::bigint, $3::text';

/** Who writes: `$1` to `$3` of a statement that begins with {@link Claim.text}. */
interface Claim {
  /** A row in `fence` if, and only if, no newer copy has written: in one statement with the write itself. */
  readonly text: string;
  readonly values: readonly string[];
}

/** @throws HaleError `HALE_LEASE_LOST` when this copy is not the one, as far as it knows. */
function claimOf(lease: Lease): Claim {
  const claim = FENCE.claim(lease.name, lease.assertHeld()).at(-1);
  // Tokens in memory begin again with each start: what an earlier one wrote would keep this one out.
  const text = lease.view().backend === 'memory' ? UNFENCED : claim?.text;
  return { text: `with fence as (${text})`, values: claim?.values ?? [] };
}

function fenced(): HttpProblem {
  return new HttpProblem(503, 'not_the_holder', 'another copy of this service has taken over');
}

/** The store on this pool; its methods reject with what `pg` throws, writes also when the lease is lost. */
export function createOrderStore(pool: Pool, lease: Lease): OrderStore {
  return {
    async createSchema() {
      await pool.query(`create table if not exists orders (
        id integer generated always as identity primary key,
        item text not null,
        quantity integer not null check (quantity > 0),
        status text not null default 'open' check (status in ('open', 'paid')),
        created_at timestamptz not null default now()
      )`);
      await pool.query('alter table orders add column if not exists token bigint');
      await pool.query(FENCE.createTable);
    },
    async list() {
      const sql = `select ${COLUMNS} from orders order by id desc limit 100`;
      return (await pool.query<Row>(sql)).rows.map(toOrder);
    },
    async create(item, quantity) {
      const { text, values } = claimOf(lease);
      const sql = `${text} insert into orders (item, quantity, token)
        select $4::text, $5::integer, $2::bigint from fence returning ${COLUMNS}`;
      const order = first((await pool.query<Row>(sql, [...values, item, quantity])).rows);
      if (order === undefined) throw fenced();
      return order;
    },
    async pay(id) {
      const { text, values } = claimOf(lease);
      const sql = `${text}, paid as (update orders set status = 'paid', token = $2::bigint
        from fence where id = $4 returning ${COLUMNS})
        select paid.* from fence left join paid on true`;
      const [row] = (await pool.query<Row | Record<'id', null>>(sql, [...values, id])).rows;
      if (row === undefined) throw fenced();
      return row.id === null ? undefined : toOrder(row);
    },
  };
}
