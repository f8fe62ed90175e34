import type { Command, Option } from 'commander';
import { completionScript, type OptionWords, shells } from './completion-script.ts';
import { UsageError } from './usage-error.ts';

/** `tidegate completion SHELL`: the script by which a shell completes commands, options and their values. */
export function addCompletionCommand(
  program: Command,
  { print }: { readonly print: (text: string) => void },
): void {
  program
    .command('completion')
    .description('print a script with which a shell completes this command')
    .argument('<shell>', shells.join(', '))
    .addHelpText('after', installation)
    .action((asked: string) => {
      const shell = shells.find(each => each === asked);
      if (shell === undefined)
        throw new UsageError(
          `no completion for ${JSON.stringify(asked)}; the shells are ${shells.join(', ')}`,
        );
      const shown = program.createHelp().visibleCommands(program);
      const commands = shown
        .filter(command => command.name() !== 'help')
        .map(command => ({
          name: command.name(),
          about: command.description(),
          options: command.options.map(optionWords),
        }));
      print(completionScript(shell, commands));
    });
}

const installation = `
Installed by:
  bash  tidegate completion bash > ~/.local/share/bash-completion/completions/tidegate
  zsh   tidegate completion zsh > _tidegate, in a folder of $fpath
  fish  tidegate completion fish > ~/.config/fish/completions/tidegate.fish`;

function optionWords({ long, short, description, flags, argChoices }: Option): OptionWords {
  return {
    names: [long, short].filter(name => name !== undefined && name !== null),
    about: description,
    value:
      argChoices ?? (/<(?:file|directory)>/.test(flags) ? 'path' : flags.includes('<') ? 'text' : 'none'),
  };
}
