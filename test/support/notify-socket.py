# A service manager as far as sd_notify(3) knows one: a datagram socket, and the process that may write to it.
# usage: notify-socket.py <socket> inherit|path <program> [arguments]
# Prints one line of JSON for each message, with the process the kernel says it came from.
import array, json, os, socket, struct, subprocess, sys, threading

path, how, command = sys.argv[1], sys.argv[2], sys.argv[3:]
receiver = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
receiver.setsockopt(socket.SOL_SOCKET, socket.SO_PASSCRED, 1)
receiver.bind(path)
os.chmod(path, 0o777)
environment = dict(os.environ, NOTIFY_SOCKET=path)

def prepare():
    environment_pid = str(os.getpid())
    os.environ.update(environment, LISTEN_PID=environment_pid, WATCHDOG_PID=environment_pid)
    if how == 'inherit':
        sender = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        sender.connect(path)
        os.dup2(sender.fileno(), 3)
        os.environ.update(LISTEN_FDS='1', LISTEN_FDNAMES='notify')

def tell(event):
    sys.stdout.write(json.dumps(event) + '\n')
    sys.stdout.flush()

child = os.fork()
if child == 0:
    prepare()
    os.dup2(2, 1)
    os.execvp(command[0], command)

def receive():
    while True:
        text, ancillary, _, _ = receiver.recvmsg(65536, socket.CMSG_SPACE(12) + socket.CMSG_SPACE(64))
        pid = None
        for level, kind, data in ancillary:
            if kind == socket.SCM_CREDENTIALS:
                pid = struct.unpack('3i', data)[0]
            elif kind == socket.SCM_RIGHTS:
                # BARRIER=1: closing the descriptor says that everything before it has been read.
                descriptors = array.array('i')
                descriptors.frombytes(data[: len(data) - len(data) % descriptors.itemsize])
                for descriptor in descriptors:
                    os.close(descriptor)
        if not text.startswith(b'BARRIER=1'):
            tell({'message': text.decode(), 'own': pid == child})

tell({'pid': child})
threading.Thread(target=receive, daemon=True).start()
_, status = os.waitpid(child, 0)
threading.Event().wait(0.2)
tell({'status': status})
