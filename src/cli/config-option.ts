import { Option } from 'commander';
import type { Environment } from '../config/environment.ts';

/** The environment gives the default; the command line overrides it. */
export function configOption({ TIDEGATE_CONFIG: file }: Environment): Option {
  const option = new Option('-c, --config <file>', 'the configuration (YAML; or TIDEGATE_CONFIG)');
  return file ? option.default(file) : option;
}
