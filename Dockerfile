# The gateway as a container: docker run -p 8080:8080 -v ./tidegate.yaml:/etc/tidegate/tidegate.yaml:ro IMAGE, with -e NAME
# for each ${NAME} in the configuration. There, listen.host is 0.0.0.0; state and embedded stores live below
# /var/lib/tidegate.

FROM node:26-alpine AS build
WORKDIR /build
COPY package.json package-lock.json .npmrc ./
# the optional packages are Node itself, which the image has
RUN npm ci --omit=optional
COPY tsconfig.json ./
COPY config config
COPY src src
RUN npm run build && npm prune --omit=dev --omit=optional

FROM node:26-alpine
ENV NODE_ENV=production
COPY --from=build /build/package.json /opt/tidegate/package.json
COPY --from=build /build/node_modules /opt/tidegate/node_modules
COPY --from=build /build/dist /opt/tidegate/dist
# the command, for docker exec
RUN chmod +x /opt/tidegate/dist/start.js && ln -s /opt/tidegate/dist/start.js /usr/local/bin/tidegate
RUN install -d -o node -g node /var/lib/tidegate
WORKDIR /var/lib/tidegate
VOLUME /var/lib/tidegate
# node by its number: runAsNonRoot of Kubernetes takes no names
USER 1000
EXPOSE 8080 9090
# TIDEGATE_ADMIN says where the admin port is when it is not on its default: host:port or a URL
HEALTHCHECK --interval=10s --timeout=3s --start-period=20s --retries=3 \
  CMD ["node", "-e", "const admin = process.env.TIDEGATE_ADMIN || '127.0.0.1:9090'; const url = new URL('/healthz', admin.includes('://') ? admin : 'http://' + admin); require(url.protocol.slice(0, -1)).get(url, answer => process.exit(answer.statusCode === 200 ? 0 : 1)).on('error', () => process.exit(1))"]
# no shell in between: signals reach the process
ENTRYPOINT ["node", "/opt/tidegate/dist/main.js"]
CMD ["serve", "--config", "/etc/tidegate/tidegate.yaml"]
