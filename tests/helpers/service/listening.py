"""A server on this machine that answers one request, perhaps slowly."""

import socket
import threading
from contextlib import contextmanager, suppress
from ipaddress import ip_network

LOCAL = (ip_network("127.0.0.0/8"),)


@contextmanager
def listening(answer, drip=b""):
    """Run a server on this machine that sends `answer` to one request, and then `drip` every 50 ms, for at most five
    seconds. Yields its port and the requests that it received.
    """
    taken, over = [], threading.Event()

    def serve():
        with suppress(OSError):
            peer, _ = server.accept()
            with peer:
                taken.append(peer.recv(4096))
                peer.sendall(answer)
                for _ in range(100):
                    if over.wait(0.05):
                        break
                    peer.sendall(drip)

    with socket.create_server(("127.0.0.1", 0)) as server:
        thread = threading.Thread(target=serve, daemon=True)
        thread.start()
        yield server.getsockname()[1], taken
        over.set()
        server.shutdown(socket.SHUT_RDWR)
    thread.join()
