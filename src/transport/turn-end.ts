/** A task that runs at the end of a turn of the event loop. */
export interface TurnEndTask {
  run(): void;
  /** Receives an exception thrown by `run`. */
  failed(error: unknown): void;
}

/** Longest batch, so that the first task does not wait too long. */
const TASK_LIMIT = 64;

/**
 * One list for the thread, as there is one event loop: a refusal by the listener must come after the answers to earlier
 * requests on its connection, which the gateway has added.
 */
let waiting: TurnEndTask[] = [];

/** Schedules `task` for the end of this turn of the event loop, after I/O callbacks that are already pending. */
export function atTurnEnd(task: TurnEndTask): void {
  const count = waiting.push(task);
  if (count === 1) setImmediate(runAll);
  else if (count === TASK_LIMIT) process.nextTick(runAll);
}

function runAll(): void {
  const tasks = waiting;
  waiting = [];
  for (const task of tasks) run(task);
}

/** Isolates tasks from each other's exceptions. */
function run(task: TurnEndTask): void {
  try {
    task.run();
  } catch (error) {
    task.failed(error);
  }
}
