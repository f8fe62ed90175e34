import { type AdminAddress, AdminPort, type AdminService } from '../../src/admin/admin-port.ts';
import type { AdminAccess } from '../../src/admin/guard.ts';

export type AdminServerOptions = AdminAddress & AdminAccess & Omit<AdminService, 'access'>;

/** An admin port that serves. */
export async function startAdminServer(options: AdminServerOptions): Promise<AdminPort> {
  const { host, port, names, token, ...service } = options;
  const admin = await AdminPort.open({ host, port });
  admin.serve({ ...service, access: () => ({ names, token }) });
  return admin;
}
