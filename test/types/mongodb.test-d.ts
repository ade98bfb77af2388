import type { MongoClient as MongoClient7 } from 'mongodb';
import type { MongoClient as MongoClient5 } from 'mongodb5';
import type { MongoClient as MongoClient6 } from 'mongodb6';
import mongoose, { type Connection } from 'mongoose';
import { describe, expectTypeOf, it } from 'vitest';
import {
  type MongoClientLike,
  type MongoPoolsLike,
  type MongooseConnectionLike,
  mongodbPing,
  mongodbPool,
  mongoosePing,
} from '../../src/checks/mongodb.js';

describe('the clients of the real libraries fit without a cast', () => {
  it('mongodb 5, 6 and 7', () => {
    expectTypeOf<MongoClient5>().toExtend<MongoClientLike>();
    expectTypeOf<MongoClient6>().toExtend<MongoClientLike>();
    expectTypeOf<MongoClient7>().toExtend<MongoClientLike>();
    expectTypeOf(mongodbPing).toBeCallableWith(null as unknown as MongoClient7);
    expectTypeOf<MongoClient5>().toExtend<MongoPoolsLike>();
    expectTypeOf<MongoClient6>().toExtend<MongoPoolsLike>();
    expectTypeOf<MongoClient7>().toExtend<MongoPoolsLike>();
    mongodbPool(mongoose.connection.getClient());
  });

  it('mongoose 9; mongodb-majors.realtime.test.ts looks at the others', () => {
    expectTypeOf<Connection>().toExtend<MongooseConnectionLike>();
    mongoosePing(mongoose.connection);
  });
});

describe('what is no client does not fit', () => {
  it('is a type error', () => {
    expectTypeOf<Connection>().not.toExtend<MongoClientLike>();
    expectTypeOf<MongoClient7>().not.toExtend<MongooseConnectionLike>();
    // @ts-expect-error the connection, not the library
    mongoosePing(mongoose);
  });
});
