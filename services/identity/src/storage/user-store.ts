import type { Transaction } from '@tocsin/database';
import type { User } from '../domain/session.ts';
import type { Tables } from './tables.ts';

/** Returns the user with this email address, ignoring case; undefined if no user has it. */
export async function findUserByEmail(tx: Transaction, email: string): Promise<User | undefined> {
  const sql = 'select id, email from app_user where lower(email) = lower($1)';
  const [row] = await tx.query<Pick<Tables['app_user'], 'id' | 'email'>>(sql, [email]);
  return row;
}

/** Returns the user with this id; undefined if the user does not exist. */
export async function findUser(tx: Transaction, id: string): Promise<User | undefined> {
  const sql = 'select id, email from app_user where id = $1';
  const [row] = await tx.query<Pick<Tables['app_user'], 'id' | 'email'>>(sql, [id]);
  return row;
}
