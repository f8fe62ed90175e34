import { describingContent } from '../support/self-describing.ts';
import { patternContent } from '../support/stand-in/content.ts';
import { StandInStore } from '../support/stand-in-store.ts';
import {
  bucket,
  type DescribingObject,
  type PatternObject,
  type StoreCommand,
  type StoreReport,
} from './store-command.ts';

const store = await StandInStore.start();

function put(object: PatternObject | DescribingObject): void {
  const { key, sizeBytes } = object;
  const content =
    'origin' in object ? describingContent(object.origin, sizeBytes) : patternContent(sizeBytes, object.seed);
  store.put(bucket, key, content);
}

function obey(command: StoreCommand): void {
  switch (command.kind) {
    case 'put':
      put(command.object);
      break;
    case 'pace':
      store.latencyMs = command.latencyMs;
      store.rateBytesPerS = command.rateBytesPerS;
      break;
    case 'break':
      store.faults.breakAfter(...command.afterBytes);
      break;
    case 'replace':
      store.log.at(command.moment, () => put(command.object));
      break;
    case 'clear':
      store.faults.clear();
      store.log.clear();
      break;
    case 'report':
  }
}

function report(): StoreReport {
  const { requests, bodyBytes } = store.log;
  return { port: store.port, requests, bodyBytes, faultsLeft: store.faults.left };
}

process.on('message', (command: StoreCommand) => {
  obey(command);
  process.send?.(report());
});
process.on('disconnect', () => process.exit());
process.send?.(report());
