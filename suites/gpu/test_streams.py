"""Streams, events and memory that the host shares with the GPU: nothing is read before it is there."""

import torch

from suites.harness import Check, built, clause, tensor


@clause("gpu.streams", fullgraph=False, devices="cuda")
def test_product_on_a_stream_that_is_waited_for(check: Check) -> None:
    """Work on another stream is seen once the program's stream has waited for it."""

    def program(a: torch.Tensor) -> torch.Tensor:
        side = torch.cuda.Stream()
        side.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(side):
            product = a @ a
        torch.cuda.current_stream().wait_stream(side)
        return product.sin() + a

    check(program, tensor(256, 256)).computed()


@clause("gpu.streams", fullgraph=False, devices="cuda")
def test_write_on_another_stream_before_an_event(check: Check) -> None:
    """What another stream wrote to an argument before an event is there after the wait for that event."""

    def program(a: torch.Tensor) -> torch.Tensor:
        side, written = torch.cuda.Stream(), torch.cuda.Event()
        side.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(side):
            a.mul_(2)
            written.record(side)
        written.wait(torch.cuda.current_stream())
        return a + 1

    check(program, tensor(512, 64)).mutated(0)


@clause("T16.5", devices="cuda")
def test_copy_from_pinned_memory_without_blocking(check: Check) -> None:
    """A copy from pinned memory that does not block is done before what is computed of it."""

    def program(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        return a.to("cuda", non_blocking=True) * 2 + b

    pinned = built(lambda t: t.detach().cpu().pin_memory(), tensor(1000, grad=False))
    check(program, pinned, tensor(1000)).unchanged(0).computed()


@clause("T16.5", devices="cuda")
def test_copy_into_pinned_memory_is_there_after_the_wait(check: Check) -> None:
    """What is copied into pinned memory of the caller's is there once the caller waits, as after eager's program."""

    def program(a: torch.Tensor, there: torch.Tensor) -> torch.Tensor:
        there.copy_(a.sin(), non_blocking=True)
        return a + 1

    pinned = built(lambda t: t.detach().cpu().pin_memory(), tensor(1000, grad=False))
    check(program, tensor(1000), pinned).mutated(1)
