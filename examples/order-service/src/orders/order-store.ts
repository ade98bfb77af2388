import type { Pool } from 'pg';

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

/** The store on this pool; its methods reject with what `pg` throws. */
export function createOrderStore(pool: Pool): OrderStore {
  return {
    async createSchema() {
      await pool.query(`create table if not exists orders (
        id integer generated always as identity primary key,
        item text not null,
        quantity integer not null check (quantity > 0),
        status text not null default 'open' check (status in ('open', 'paid')),
        created_at timestamptz not null default now()
      )`);
    },
    async list() {
      const sql = `select ${COLUMNS} from orders order by id desc limit 100`;
      return (await pool.query<Row>(sql)).rows.map(toOrder);
    },
    async create(item, quantity) {
      const sql = `insert into orders (item, quantity) values ($1, $2) returning ${COLUMNS}`;
      const order = first((await pool.query<Row>(sql, [item, quantity])).rows);
      if (order === undefined) throw new Error('insert returned no row');
      return order;
    },
    async pay(id) {
      const sql = `update orders set status = 'paid' where id = $1 returning ${COLUMNS}`;
      return first((await pool.query<Row>(sql, [id])).rows);
    },
  };
}
