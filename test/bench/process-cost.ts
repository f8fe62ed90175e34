import { readdirSync, readFileSync } from 'node:fs';

/** What the kernel counts in one second of CPU time on Linux, whatever its own timer does (USER_HZ). */
const ticksPerSecond = 100;

/** CPU seconds, user and system, of a process with all its threads and of everything below it. */
export function cpuSeconds(pid: number): number {
  return familyOf(pid).reduce((sum, member) => sum + ticksOf(member), 0) / ticksPerSecond;
}

/** Resident memory now and at its highest since the start. */
export function residentBytes(pid: number): { readonly now: number; readonly peak: number } {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  const field = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(status)?.[1]) * 1024;
  return { now: field('VmRSS'), peak: field('VmHWM') };
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
