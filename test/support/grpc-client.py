# A client on gRPC's C core, which shares no code with the one for Node.js.
# usage: grpc-client.py <port> check <service> | watch <service> <count> | channel <service> <seconds>
import json, sys, time
import grpc

port, what, service = sys.argv[1:4]
encode = lambda name: (b'\x0a' + bytes([len(name)]) + name.encode()) if name else b''
STATUS = ['UNKNOWN', 'SERVING', 'NOT_SERVING', 'SERVICE_UNKNOWN']
decode = lambda data: STATUS[data[1] if data[:1] == b'\x08' else 0]
tell = lambda event: print(json.dumps(event), flush=True)
# The channel asks for the health of the service itself (gRFC A17), and uses the server only while it is SERVING.
config = json.dumps({
    'loadBalancingConfig': [{'round_robin': {}}],
    'healthCheckConfig': {'serviceName': service},
})
options = [('grpc.service_config', config)] if what == 'channel' else []
channel = grpc.insecure_channel('127.0.0.1:' + port, options)

def method(name, kind):
    return kind('/grpc.health.v1.Health/' + name, request_serializer=encode, response_deserializer=decode)

try:
    if what == 'check':
        tell({'status': method('Check', channel.unary_unary)(service, timeout=5)})
    elif what == 'watch':
        for status in method('Watch', channel.unary_stream)(service, timeout=20):
            tell({'status': status})
    else:
        channel.subscribe(lambda state: tell({'state': state.name}), try_to_connect=True)
        time.sleep(float(sys.argv[4]))
except grpc.RpcError as error:
    tell({'code': error.code().name})
