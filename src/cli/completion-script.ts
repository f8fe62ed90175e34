/** What a shell is told of a command. */
interface CommandWords {
  readonly name: string;
  readonly about: string;
  readonly options: readonly OptionWords[];
}

export interface OptionWords {
  /** Such as `--config` and `-c`. */
  readonly names: readonly string[];
  readonly about: string;
  /** What follows it; a list has all values that are taken. */
  readonly value: 'none' | 'text' | 'path' | readonly string[];
}

export const shells = ['bash', 'zsh', 'fish'] as const;
export type Shell = (typeof shells)[number];

/** The script that makes `shell` complete `tidegate`. */
export function completionScript(shell: Shell, commands: readonly CommandWords[]): string {
  if (shell === 'fish') return fishScript(commands);
  return shell === 'bash' ? bashScript(commands) : zshScript(commands);
}

const namesOf = (commands: readonly CommandWords[]) => commands.map(({ name }) => name).join(' ');

function bashScript(commands: readonly CommandWords[]): string {
  return `_tidegate() {
  local word=\${COMP_WORDS[COMP_CWORD]} before=\${COMP_WORDS[COMP_CWORD-1]} command=\${COMP_WORDS[1]} words=
  COMPREPLY=()
  [[ $command == -* ]] && command=serve
  case "$command $before" in
${commands.flatMap(command => bashValues(command)).join('\n')}
  esac
  if [[ $COMP_CWORD == 1 && $word != -* ]]; then
    words="${namesOf(commands)} help"
  else
    case "$command" in
${commands.map(({ name, options }) => `      ${name}) words="${options.flatMap(({ names }) => names).join(' ')} --help" ;;`).join('\n')}
      help) words="${namesOf(commands)}" ;;
    esac
  fi
  COMPREPLY=($(compgen -W "$words" -- "$word"))
}
complete -F _tidegate tidegate`;
}

/** Lines that complete what follows an option. */
function bashValues({ name, options }: CommandWords): readonly string[] {
  return options
    .filter(({ value }) => value !== 'none')
    .map(({ names, value }) => {
      const pattern = names.map(option => `"${name} ${option}"`).join('|');
      if (value === 'path')
        return `    ${pattern}) compopt -o filenames; mapfile -t COMPREPLY < <(compgen -f -- "$word"); return ;;`;
      const words = typeof value === 'string' ? '' : value.join(' ');
      return `    ${pattern}) COMPREPLY=($(compgen -W "${words}" -- "$word")); return ;;`;
    });
}

function zshScript(commands: readonly CommandWords[]): string {
  return `#compdef tidegate
_tidegate() {
  local -a commands=(
    'help:show the help of a command'
${commands.map(({ name, about }) => `    ${quoted(`${name}:${about.replaceAll(':', '\\:')}`)}`).join('\n')}
  )
  if (( CURRENT == 2 )) && [[ $words[CURRENT] != -* ]]; then
    _describe command commands
    return
  fi
  local command=$words[2]
  [[ $command == -* ]] && command=serve
  case $command in
${commands.map(({ name, options }) => `    ${name}) _arguments ${options.flatMap(zshOption).join(' ')} '--help[show help]' '*:argument:_default' ;;`).join('\n')}
    help) _describe command commands ;;
  esac
}
if [[ $funcstack[1] == _tidegate ]]; then _tidegate "$@"; else compdef _tidegate tidegate; fi`;
}

function zshOption({ names, about, value }: OptionWords): readonly string[] {
  const text = about.replace(/[[\]:]/g, '\\$&');
  const after = {
    none: '',
    text: ':value:',
    path: ':file:_files',
  };
  const suffix = typeof value === 'string' ? after[value] : `:value:(${value.join(' ')})`;
  return names.map(name => quoted(`${name}[${text}]${suffix}`));
}

function fishScript(commands: readonly CommandWords[]): string {
  const lines = commands.flatMap(({ name, about, options }) => [
    `complete -c tidegate -n __fish_use_subcommand -f -a ${name} -d ${quoted(about)}`,
    ...options.map(
      option => `complete -c tidegate -n '__fish_seen_subcommand_from ${name}' ${fishOption(option)}`,
    ),
  ]);
  const help = `complete -c tidegate -n __fish_use_subcommand -f -a help -d 'show the help of a command'`;
  return [help, ...lines].join('\n');
}

function fishOption({ names, about, value }: OptionWords): string {
  const flags = names.map(name => (name.startsWith('--') ? `-l ${name.slice(2)}` : `-s ${name.slice(1)}`));
  const taken = { none: '', text: ' -x', path: ' -r -F' };
  const values = typeof value === 'string' ? taken[value] : ` -x -a ${quoted(value.join(' '))}`;
  return `${flags.join(' ')}${values} -d ${quoted(about)}`;
}

/** In single quotes, which all three shells take alike once none is left inside. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", '’')}'`;
}
