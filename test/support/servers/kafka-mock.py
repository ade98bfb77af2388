# usage: kafka-mock.py LIBRARY PORT TOPIC PARTITIONS
# Runs librdkafka's own mock of a Kafka cluster, one broker that speaks the protocol over TCP and coordinates consumer
# groups. The library chooses the broker's port; this process forwards PORT to it.
import asyncio, ctypes, sys

library, port, topic, partitions = sys.argv[1:]
rk = ctypes.CDLL(library)
for name in ('rd_kafka_conf_new', 'rd_kafka_new', 'rd_kafka_mock_cluster_new'):
    getattr(rk, name).restype = ctypes.c_void_p
rk.rd_kafka_new.argtypes = [ctypes.c_int, ctypes.c_void_p, ctypes.c_char_p, ctypes.c_size_t]
rk.rd_kafka_mock_cluster_new.argtypes = [ctypes.c_void_p, ctypes.c_int]
rk.rd_kafka_mock_cluster_bootstraps.restype = ctypes.c_char_p
rk.rd_kafka_mock_cluster_bootstraps.argtypes = [ctypes.c_void_p]
rk.rd_kafka_mock_topic_create.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_int, ctypes.c_int]

error = ctypes.create_string_buffer(512)
handle = rk.rd_kafka_new(0, rk.rd_kafka_conf_new(), error, 512)
if not handle:
    sys.exit(error.value.decode())
cluster = rk.rd_kafka_mock_cluster_new(handle, 1)
if rk.rd_kafka_mock_topic_create(cluster, topic.encode(), int(partitions), 1) != 0:
    sys.exit('the topic could not be created')
broker = int(rk.rd_kafka_mock_cluster_bootstraps(cluster).decode().rpartition(':')[2])


async def pipe(reader, writer):
    try:
        while chunk := await reader.read(65536):
            writer.write(chunk)
            await writer.drain()
    except OSError:
        pass
    finally:
        writer.close()


async def forward(reader, writer):
    to_reader, to_writer = await asyncio.open_connection('127.0.0.1', broker)
    await asyncio.gather(pipe(reader, to_writer), pipe(to_reader, writer))


async def main():
    async with await asyncio.start_server(forward, '127.0.0.1', int(port)) as server:
        await server.serve_forever()


asyncio.run(main())
