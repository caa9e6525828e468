"""Tell an execution what became of the task it waits for."""

from __future__ import annotations

from functions.domain.task_answers import Succeeds, answer_of
from functions.usecases.desk import Waker


def wake(task_id: str, waker: Waker) -> bool:
    """Answer the state that waits for a task that has ended; return whether it took the answer.

    What is sent is what the table says now. While nothing waits there is nobody to answer:
    whatever comes to wait looks at the table itself. An execution that has its answer, or is
    over, says so, and that is as good.
    """
    task = waker.tasks.get(task_id)
    answer = None if task is None else answer_of(task)
    if answer is None:
        return False
    token = waker.tokens.get(task_id)
    if token is None:
        return False
    if isinstance(answer, Succeeds):
        return waker.answers.succeed(token, answer.output)
    return waker.answers.fail(token, answer.error, answer.cause)
