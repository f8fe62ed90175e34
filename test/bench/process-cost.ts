import { readdirSync, readFileSync } from 'node:fs';

/** What the kernel counts in one second of CPU time on Linux, whatever its own timer does (USER_HZ). */
const ticksPerSecond = 100;

/** CPU seconds, user and system, of a process with all its threads and of everything below it. */
export function cpuSeconds(pid: number): number {
  return sum(familyOf(pid).map(ticksOf)) / ticksPerSecond;
}

/** Less CPU time than this is too few ticks of the kernel's clock to divide by. */
const countableSeconds = 0.2;

/**
 * CPU microseconds of each of `requests`; undefined when the server got so little time that the number would mean
 * nothing, as beside other work it may: a round that was starved must not pass for the cheapest.
 */
export function costOf(seconds: number, requests: number): number | undefined {
  return seconds >= countableSeconds ? (seconds / requests) * 1_000_000 : undefined;
}

/** Resident memory now and at its highest since the start. */
export function residentBytes(pid: number): { readonly now: number; readonly peak: number } {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  const field = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(status)?.[1]) * 1024;
  return { now: field('VmRSS'), peak: field('VmHWM') };
}

/** How busy all cores together have been since the machine started, in seconds: of work, and of waiting for it. */
export function machineSeconds(): { readonly busy: number; readonly idle: number } {
  const [total = ''] = readFileSync('/proc/stat', 'utf8').split('\n', 1);
  const ticks = total.split(/\s+/).slice(1, 9).map(Number);
  const idle = (ticks[3] ?? 0) + (ticks[4] ?? 0);
  return { idle: idle / ticksPerSecond, busy: (sum(ticks) - idle) / ticksPerSecond };
}

/** The process and its descendants. */
function familyOf(pid: number): readonly number[] {
  const parents = new Map<number, number>();
  for (const name of readdirSync('/proc')) {
    if (/^\d+$/.test(name)) parents.set(Number(name), Number(statOf(Number(name))[1]));
  }
  const family = [pid];
  for (const member of family) {
    for (const [child, parent] of parents) if (parent === member) family.push(child);
  }
  return family;
}

/** Fields 14 and 15 of proc(5) stat: time of all threads, ended ones too. */
function ticksOf(pid: number): number {
  const fields = statOf(pid);
  return Number(fields[11] ?? 0) + Number(fields[12] ?? 0);
}

/** The fields after the command name, which may hold blanks; none when the process has ended. */
function statOf(pid: number): readonly string[] {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  } catch {
    return [];
  }
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
