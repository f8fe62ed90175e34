import { Option } from 'commander';

/** `--prefix`: one of the header prefixes of stores. */
export function prefixOption(description: string): Option {
  return new Option('--prefix <prefix>', description).choices(['x-amz-', 'x-store-']).default('x-amz-');
}
