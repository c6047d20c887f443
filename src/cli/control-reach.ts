// What goes wrong at a socket, as the error of a command.
import { CommandError, exitCodes } from './exit.ts'

/** The errors of the socket are those of the command. They are known by name: each bundle has its own copy of the classes. */
export async function reached<T>(work: Promise<T>, exitCode: number = exitCodes.failed): Promise<T> {
  try {
    return await work
  } catch (error) {
    const { name, message } = error as Error
    throw name === 'ControlError' || name === 'RpcError' ? new CommandError(message, exitCode, { cause: error }) : error
  }
}
