"""Prefetching: the next batches are read while the current one is processed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from queue import Full, Queue
from threading import Event, Thread
from typing import Any, TypeVar

T = TypeVar("T")

_END: Any = object()


@contextmanager
def prefetch(batches: Iterable[T], count: int = 2) -> Iterator[Iterator[T]]:
    """Read batches in a thread of its own, at most `count` batches in advance.

    What the reader raises is raised where its batches are asked for. Leaving the context ends the thread.
    """
    queue: Queue[Any] = Queue(count)
    stop = Event()

    def put(item: Any) -> bool:
        while not stop.is_set():
            try:
                queue.put(item, timeout=0.1)
            except Full:
                continue
            return True
        return False

    def read() -> None:
        try:
            for batch in batches:
                if not put((batch, None)):
                    return
            put((_END, None))
        except BaseException as error:  # whatever it is, it belongs to who asks for the batches
            put((_END, error))

    def take() -> Iterator[T]:
        while True:
            batch, error = queue.get()
            if error is not None:
                raise error
            if batch is _END:
                return
            yield batch

    thread = Thread(target=read, name="prefetch", daemon=True)
    thread.start()
    try:
        yield take()
    finally:
        stop.set()
        thread.join()
