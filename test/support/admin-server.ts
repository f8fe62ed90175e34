import { type AdminAddress, AdminPort, type AdminService } from '../../src/admin/admin-port.ts';

export type AdminServerOptions = AdminAddress & AdminService;

/** An admin port that serves. */
export async function startAdminServer({ host, port, ...service }: AdminServerOptions): Promise<AdminPort> {
  const admin = await AdminPort.open({ host, port });
  admin.serve(service);
  return admin;
}
