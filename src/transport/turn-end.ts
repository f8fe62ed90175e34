/** Something that is done at the end of a turn of the event loop. */
export interface TurnEndTask {
  run(): void;
  /** Takes what `run` threw. */
  failed(error: unknown): void;
}

/** So many are done at once, so that the first does not wait long for the last. */
const TASK_LIMIT = 64;

let waiting: TurnEndTask[] = [];

/** Has `task` run when all that this turn of the event loop found ready has been looked at, after the tasks before it. */
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

/** What one task throws is not for the others. */
function run(task: TurnEndTask): void {
  try {
    task.run();
  } catch (error) {
    task.failed(error);
  }
}
