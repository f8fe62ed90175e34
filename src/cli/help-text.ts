/** What follows the list of commands in `tidegate --help`, in the sections of a manual page. */
export const helpSections = `
Examples:
  tidegate                                    with a store of its own and a sample bucket, on 127.0.0.1:8080
  tidegate check --config tidegate.yaml       what is wrong with a configuration
  tidegate check -c tidegate.yaml --connect   and whether its stores can be used
  tidegate serve --config tidegate.yaml       the gateway
  tidegate explain photos cats/1.jpg          what a running gateway holds of an object
  tidegate purge photos --prefix cats/        forget what is cached below a prefix
  tidegate warm photos --prefix cats/         fetch what lies below it

Environment:
  TIDEGATE_CONFIG        the configuration, where --config is not given
  TIDEGATE_ADMIN         admin port of the running gateway, where --admin is not given
  TIDEGATE_ADMIN_TOKEN   its bearer token, where --token is not given
  TIDEGATE_PORT, TIDEGATE_ADMIN_PORT, TIDEGATE_DATA, TIDEGATE_STATE
                         ports and directories of a start without a configuration
  NOTIFY_SOCKET          set by systemd: it is told when requests are served
  A configuration takes \${NAME} and \${NAME:-default} from the environment.

Signals:
  SIGTERM, SIGINT        finish running answers and end; a second one ends at once
  SIGHUP                 read the configuration again
  SIGUSR2                open the file of the access log anew, after it was renamed

Exit codes:
  0  success
  1  failed while running
  2  wrong usage or configuration; the message names what is wrong
  130, 143  SIGINT or SIGTERM has ended warm early; it tells where to go on`;
