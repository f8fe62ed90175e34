import { writeFileSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { brokenTransfers } from './broken-transfers.ts';
import { changingObject } from './changing-object.ts';
import { coalescing } from './coalescing.ts';
import { coldLarge } from './cold-large.ts';
import { coldSmall } from './cold-small.ts';
import { type Finding, orientation, tableOf, verdictOf } from './finding.ts';
import { growth } from './growth/growth.ts';
import { hitCost } from './hit-cost.ts';
import { hitProfile } from './hit-profile.ts';
import { Lab } from './lab.ts';
import { machineSeconds } from './process-cost.ts';
import { purgeCost } from './purge.ts';
import { replay } from './replay/replay-traces.ts';
import { stalledReaders } from './stalled-readers.ts';
import { tlsHitCost } from './tls-hit-cost.ts';
import { upload } from './upload.ts';

/** @param objects how many small ones, where a figure is about many */
type Figure = (lab: Lab, rounds: number, objects: number) => Promise<readonly Finding[]>;

const figures: Readonly<Record<string, Figure>> = {
  'cold-small': coldSmall,
  'cold-large': coldLarge,
  coalescing,
  'broken-transfers': brokenTransfers,
  'changing-object': changingObject,
  'stalled-readers': stalledReaders,
  purge: purgeCost,
  'hit-profile': hitProfile,
  'hit-cost': hitCost,
  'tls-hit-cost': tlsHitCost,
  upload,
  growth,
};

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

/** Per cent of all cores that is taken while nothing is measured; times beside much else mean little. */
async function busyShare(): Promise<number> {
  const before = machineSeconds();
  await wait(3000);
  const after = machineSeconds();
  const busy = after.busy - before.busy;
  return (100 * busy) / (busy + after.idle - before.idle);
}

async function measure(
  name: string,
  rounds: number,
  objects: number,
  figure: Figure,
): Promise<readonly Finding[]> {
  say(`\n${name}`);
  const others = orientation(`${name}: cores busy with other things`, await busyShare(), '%');
  const lab = await Lab.open(say);
  try {
    const findings = [others, ...(await figure(lab, rounds, objects))];
    say(tableOf(findings));
    return findings;
  } finally {
    await lab.close();
  }
}

const usage = `npm run bench -- [--rounds N] [--objects N] [--json FILE] [figure …]
figures: ${Object.keys(figures).join(' ')}
npm run bench -- [--json FILE] replay [part of a trace's name, or a file …]`;

/** Undefined for wrong usage. */
async function findingsOf(
  chosen: readonly string[],
  rounds: number,
  objects: number,
): Promise<Finding[] | undefined> {
  if (chosen[0] === 'replay') return [...replay(chosen.slice(1), say)];
  const findings: Finding[] = [];
  for (const name of chosen.length > 0 ? chosen : Object.keys(figures)) {
    const figure = figures[name];
    if (!figure) {
      say(`no figure is called ${name}\n${usage}`);
      return undefined;
    }
    findings.push(...(await measure(name, rounds, objects, figure)));
  }
  return findings;
}

/** @throws TypeError for options that there are not */
function readArguments() {
  return parseArgs({
    allowPositionals: true,
    options: {
      rounds: { type: 'string', default: '5' },
      objects: { type: 'string', default: '200000' },
      json: { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  });
}

/** The arguments, or what is wrong with them. */
function argumentsOrFault(): ReturnType<typeof readArguments> | string {
  try {
    return readArguments();
  } catch (error) {
    return error instanceof TypeError ? error.message : String(error);
  }
}

/** Measures the chosen figures, or all; gives the exit code: 1 when one was missed, 2 for wrong usage. */
async function bench(): Promise<number> {
  const given = argumentsOrFault();
  if (typeof given === 'string') {
    say(`${given}\n${usage}`);
    return 2;
  }
  const { values, positionals } = given;
  if (values.help) {
    say(usage);
    return 0;
  }
  const findings = await findingsOf(positionals, Number(values.rounds), Number(values.objects));
  if (!findings) return 2;
  const judged = findings.map(finding => ({ ...finding, verdict: verdictOf(finding) }));
  if (values.json !== undefined) writeFileSync(values.json, `${JSON.stringify(judged, undefined, 2)}\n`);
  const missed = judged.filter(({ verdict }) => verdict === 'missed');
  const reached = judged.filter(({ verdict }) => verdict === 'reached');
  say(`all figures\n${tableOf(findings)}${reached.length} reached, ${missed.length} missed`);
  return missed.length === 0 ? 0 : 1;
}

process.exitCode = await bench();
