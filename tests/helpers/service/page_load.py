"""Requests for pages at a fixed rate, even if earlier pages have not arrived yet, with little processor time in the
test.
"""

import asyncio
import os
import time
from pathlib import Path

CONNECTIONS = 64
"""Number of connections for the requests. A request may have to wait for a free one, and the wait counts."""


class Visitors:
    """Connections to a web process, over which pages can be requested with a cookie."""

    def __init__(self, port):
        self._port, self._free = port, asyncio.Queue()

    async def connect(self):
        for _ in range(CONNECTIONS):
            self._free.put_nowait(await asyncio.open_connection("127.0.0.1", self._port))
        return self

    async def ask(self, path, cookie):
        """Return the seconds until the whole page has arrived."""
        begun = time.monotonic()
        reader, writer = connection = await self._free.get()
        head = f"GET {path} HTTP/1.1\r\nhost: 127.0.0.1:{self._port}\r\ncookie: {cookie}\r\n\r\n"
        writer.write(head.encode())
        answer = await reader.readuntil(b"\r\n\r\n")
        assert answer.startswith(b"HTTP/1.1 200"), answer
        length = answer.lower().partition(b"content-length: ")[2].partition(b"\r\n")[0]
        await reader.readexactly(int(length))
        self._free.put_nowait(connection)
        return time.monotonic() - begun

    async def at_rate(self, rate, seconds, path, cookies):
        """Request pages at this rate for some seconds, and return the seconds that each took."""
        begun, asked = asyncio.get_running_loop().time(), []
        for number in range(int(rate * seconds)):
            await asyncio.sleep(max(0.0, begun + number / rate - asyncio.get_running_loop().time()))
            asked.append(asyncio.create_task(self.ask(path, cookies[number % len(cookies)])))
        return await asyncio.gather(*asked)

    def close(self):
        while not self._free.empty():
            self._free.get_nowait()[1].close()


def processor_seconds(pids):
    """Return the sum of these processes' user and system time in seconds."""
    fields = [Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split() for pid in pids]
    return sum(int(each[11]) + int(each[12]) for each in fields) / os.sysconf("SC_CLK_TCK")
